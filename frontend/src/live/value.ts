/** One value that many look at. */
export class Store<Value> {
  private lookers = new Set<() => void>();

  constructor(private value: Value) {}

  get(): Value {
    return this.value;
  }

  set(part: Partial<Value>): void {
    this.value = { ...this.value, ...part };
    for (const look of [...this.lookers]) look();
  }

  subscribe(look: () => void): () => void {
    this.lookers.add(look);
    return () => void this.lookers.delete(look);
  }
}
