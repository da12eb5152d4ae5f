import { useEffect, useState } from "preact/hooks";
import type { Store } from "./store";

export { Store } from "./store";

export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(store.get());
  useEffect(() => {
    const update = () => setValue(store.get());
    update();
    return store.subscribe(update);
  }, [store]);
  return value;
}
