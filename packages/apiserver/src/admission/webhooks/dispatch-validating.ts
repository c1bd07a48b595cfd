import { type Steps, wait } from '../../request/steps.ts';
import type { AdmissionAttributes } from '../../rest/admission.ts';
import type { HookCaller } from './ask-hook.ts';
import { consult, isOver, tooLate } from './consult.ts';
import type { Hook } from './hook.ts';
import type { Invocation } from './invocation.ts';
import { type Selection, selectHook } from './select-hook.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io';

/** Asks all webhooks at once and waits for all; of several refusals the first to come is told. */
export function* dispatchValidating(
  context: Selection & HookCaller,
  hooks: readonly Hook[],
  attributes: AdmissionAttributes,
): Steps<void> {
  const invocations = hooks.flatMap((hook) => selectHook(context, hook, attributes) ?? []);
  if (invocations.length === 0) return;
  if (isOver(context, attributes.request)) throw tooLate();
  yield* wait(askAll(context, invocations, attributes));
}

async function askAll(
  context: HookCaller,
  invocations: readonly Invocation[],
  attributes: AdmissionAttributes,
): Promise<void> {
  const refusals: unknown[] = [];
  await Promise.all(
    invocations.map(async (invocation, index) => {
      const onFailedOpen = (): void =>
        attributes.request.annotate(`${FAILED_OPEN}/round_0_index_${index}`, invocation.hook.name);
      try {
        await consult(context, invocation, attributes, { mutating: false, onFailedOpen });
      } catch (error) {
        refusals.push(error);
      }
    }),
  );
  if (refusals.length > 0) throw refusals[0];
}
