import { useEffect, useState } from "preact/hooks";
import type { Store } from "./value";

export { Store } from "./value";

export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(store.get());
  useEffect(() => {
    const look = () => setValue(store.get());
    look();
    return store.subscribe(look);
  }, [store]);
  return value;
}
