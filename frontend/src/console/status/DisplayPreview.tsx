import { t } from "../../live/i18n";
import { previewUrl, type LinkContext } from "../links";

/** The big screen itself in a frame. Nothing in it can be focused or clicked. */
export function DisplayPreview(context: LinkContext) {
  const url = previewUrl(context);
  return (
    <div class="preview" inert>
      <iframe key={url} src={url} title={t("Big screen preview")} loading="lazy" />
    </div>
  );
}
