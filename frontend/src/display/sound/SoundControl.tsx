import { t } from "../../live/i18n";
import { useStore } from "../../live/state/useStore";
import { stageWindow } from "../displayOptions";
import type { SoundState, SoundSwitch } from "./soundSwitch";

const NAMES: Record<SoundState, string> = { off: t("Sound is off"), waiting: t("Press any key for sound"), on: t("Sound is on") };
const WAVES = "M32 17 q6 7 0 14 M37 12 q11 12 0 24";
const CROSS = "M32 18 l12 12 M44 18 l-12 12";

/** The sound button. A click does not focus it, so that the space bar remains the presenter's key. */
export function SoundControl({ sound }: { sound: SoundSwitch }) {
  const { state } = useStore(sound.store);
  return (
    <button class="sound" type="button" data-sound={state} aria-pressed={state !== "off"} onMouseDown={(event) => event.preventDefault()} onClick={() => sound.toggle()}>
      <svg viewBox="0 0 48 48" role="img" aria-label={NAMES[state]}>
        <path d="M6 18 h8 l12 -10 v32 l-12 -10 h-8 Z" />
        <path class="waves" d={state === "on" ? WAVES : CROSS} />
      </svg>
      {state === "waiting" && <span aria-hidden="true">{NAMES.waiting}</span>}
    </button>
  );
}

/**
 * Browsers start sound only after a key press or a click. Those on the control itself switch it. One on the stage also
 * counts for the pages that it shows later.
 */
export function wakeOnGestures(sound: SoundSwitch, isSoundKey: (key: string) => boolean): void {
  const stage = stageWindow();
  if (stage !== window) sound.wake(stage.navigator.userActivation?.hasBeenActive);
  const wake = ({ target }: Event) => {
    if (!(target instanceof Element && target.closest(".sound"))) sound.wake();
  };
  addEventListener("pointerup", wake);
  addEventListener("keydown", (event) => {
    if (!isSoundKey(event.key)) wake(event);
  });
}
