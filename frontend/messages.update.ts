import { updateCatalogs } from "./messages";

// `npm run messages`
updateCatalogs();
