import { Store } from "../../live/state/store";
import { isPartHidden } from "../scene/places";
import type { StageView } from "../scene/stageView";

/** Whether this browser draws particles: false until their code is loaded, and without WebGL2. */
export const particleSupport = new Store({ works: false });

const STEPS: readonly (string | undefined)[] = [undefined, "sealed", "pour", "picks"];

/** Whether votes are drawn as particles now. Otherwise the simpler animations of votes and reveal are. */
export function showsParticles({ state, scene, reducedMotion }: StageView): boolean {
  return particleSupport.get().works && !reducedMotion && !isPartHidden(state, "turnout") && STEPS.includes(scene.stage?.step);
}
