import { render } from "preact";
import "../live/tokens.css";
import "../../../crowdgame/static/tokens/pages.css";
import "../../../crowdgame/static/tokens/components.css";
import "../../../crowdgame/static/paper/paper.css";
import "../../../crowdgame/static/tokens/team_colors.css";
import { AnalysisPage } from "./AnalysisPage";

render(<AnalysisPage />, document.getElementById("app")!);
