export interface Marks {
  phase: string;
  team?: number;
  side?: string;
}

/** Writes on the body what the page is at: the ground's colour follows it. */
export function mark({ phase, team, side }: Marks): void {
  const { dataset } = document.body;
  set(dataset, "phase", phase);
  set(dataset, "team", team?.toString());
  set(dataset, "side", side);
}

function set(dataset: DOMStringMap, name: string, value: string | undefined): void {
  if (value === undefined) delete dataset[name];
  else if (dataset[name] !== value) dataset[name] = value;
}
