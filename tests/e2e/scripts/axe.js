// All of axe's rules except the experimental ones, including best practices.
async () => {
  const {violations} = await axe.run(document, {resultTypes: ["violations"]});
  return violations.map(({id, impact, nodes}) => `${id} (${impact}): ` + nodes
    .map(({target, failureSummary}) => `${target.join(" ")}: ${failureSummary}`).join("; "));
}
