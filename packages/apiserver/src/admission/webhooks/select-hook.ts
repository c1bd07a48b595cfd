import type { Authorizer } from '../../auth/authorizer.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { matchWrite, type MatchContext } from '../matching/match-write.ts';
import type { Hook } from './hook.ts';
import type { Invocation } from './invocation.ts';
import { meetsConditions } from './meets-conditions.ts';

/** What selecting looks at beside the write. */
export type Selection = MatchContext & { readonly authorize: Authorizer };

/** Whether and how a webhook is to be called for a write. Throws where that cannot be determined. */
export function selectHook(
  context: Selection,
  hook: Hook,
  attributes: AdmissionAttributes,
): Invocation | undefined {
  const match = matchWrite(context, hook.criteria, attributes);
  if (match === undefined) return undefined;
  const invocation = { hook, ...match };
  return meetsConditions(context.authorize, invocation, attributes) ? invocation : undefined;
}
