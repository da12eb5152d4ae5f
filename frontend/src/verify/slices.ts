const SLICE_MS = 12;

/** Runs a generator in slices, so that the page stays responsive. Calls `onProgress` with the sum of what it yields. */
export async function runInSlices<Result>(steps: Generator<number, Result>, onProgress: (done: number) => void): Promise<Result> {
  let done = 0;
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done) return step.value;
      done += step.value;
    } while (performance.now() < end);
    onProgress(done);
    await new Promise((resume) => setTimeout(resume));
  }
}
