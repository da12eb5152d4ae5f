import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { StageView } from "../scene/stageView";
import { ParticleField } from "./particleField";
import type * as Renderers from "./renderer";
import { particleSupport } from "./particleSupport";

/** The build inserts the URL of the renderer's bundle here. */
const PARTICLES_URL = "%particles%";

/** Every vote as a particle: over its team's sea until the reveal, then in the pile of its column. */
export function ParticleLayer({ view, beside }: { view: StageView; beside: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const field = useRef<ParticleField | null>(null);
  useEffect(() => {
    let closed = false;
    void import(/* @vite-ignore */ PARTICLES_URL).then((renderers: typeof Renderers) => {
      if (!closed && canvas.current) field.current = new ParticleField(renderers, canvas.current, (works) => particleSupport.set({ works }));
    });
    return () => {
      closed = true;
      field.current?.close();
    };
  }, []);
  useLayoutEffect(() => field.current?.show(view, beside));
  return <canvas class="particles" ref={canvas} aria-hidden="true" hidden />;
}
