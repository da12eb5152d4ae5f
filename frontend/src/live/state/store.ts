/** An observable value with any number of subscribers. */
export class Store<Value> {
  private subscribers = new Set<() => void>();

  constructor(private value: Value) {}

  get(): Value {
    return this.value;
  }

  set(part: Partial<Value>): void {
    this.value = { ...this.value, ...part };
    for (const callback of [...this.subscribers]) callback();
  }

  subscribe(callback: () => void): () => void {
    this.subscribers.add(callback);
    return () => void this.subscribers.delete(callback);
  }
}
