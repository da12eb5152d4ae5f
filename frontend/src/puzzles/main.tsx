import { render } from "preact";
import "../live/tokens.css";
import "../../../crowdgame/static/tokens/pages.css";
import "../../../crowdgame/static/tokens/components.css";
import "../../../crowdgame/static/paper/paper.css";
import { PuzzlePage } from "./PuzzlePage";

render(<PuzzlePage />, document.getElementById("app")!);
