import { defined, type JsonObject, type Stored } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { describeExplanation } from './describe-explanation.ts';
import { explainFields } from './explain-fields.ts';
import type { Explanation } from './explanation.ts';
import { findNamed, readNamed } from './find-parent.ts';
import { readDecisions } from './read-decisions.ts';

/** `kubewright drift explain KIND/NAME`: who set each field, when, and why that was allowed. */
export async function explain(
  { args: [target = ''] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const stage = await connect();
  const live = await readNamed(await findNamed(target, stage), stage);
  const decisions = await readDecisions(live, stage);
  const { namespace, name } = live.metadata;
  const explanation: Explanation & JsonObject = {
    kind: live.kind,
    name,
    ...defined({ namespace }),
    fields: explainFields(withoutValues(live), decisions),
    denied: decisions.filter(({ allowed }) => !allowed).toReversed(),
  };
  stage.print({ json: explanation, text: () => describeExplanation(explanation) });
}

/** The values of a Secret are nobody's business here. */
function withoutValues(live: Stored): Stored {
  const { data } = live as Stored & { readonly data?: JsonObject };
  if (live.kind !== 'Secret' || live.apiVersion !== 'v1' || data === undefined) return live;
  const hidden = { data: Object.fromEntries(Object.keys(data).map((key) => [key, '(hidden)'])) };
  return { ...live, ...hidden };
}
