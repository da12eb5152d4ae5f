import { render } from "preact";
import "../../live/tokens.css";
import "../../../../crowdgame/static/tokens/pages.css";
import "../../../../crowdgame/static/tokens/components.css";
import "../../../../crowdgame/static/paper/paper.css";
import "./verify.css";
import { Verifier } from "./verification";
import { VerifyPage } from "./VerifyPage";

const verifier = new Verifier();
const [, code, match] = /^(\w+)\/(\d+)$/.exec(new URLSearchParams(location.search).get("match") ?? "") ?? [];
render(<VerifyPage verifier={verifier} />, document.getElementById("app")!);
if (code && match) void verifier.verifyMatch(code, match);
