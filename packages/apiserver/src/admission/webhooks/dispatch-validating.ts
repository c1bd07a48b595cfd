import { type Steps, wait } from '../../request/steps.ts';
import { converting } from '../../rest/converting.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { inMatchedVersions } from '../matching/match-write.ts';
import type { HookClientContext } from './call-hook.ts';
import { invokeHook, isTimedOut, requestTimeout } from './invoke-hook.ts';
import type { Hook } from './hook.ts';
import type { Invocation } from './invocation.ts';
import { type Selection, selectHook } from './select-hook.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io';

/** Calls all webhooks at once and waits for all; of several errors the first to come is thrown. */
export function* dispatchValidating(
  context: Selection & HookClientContext,
  hooks: readonly Hook[],
  attributes: AdmissionAttributes,
): Steps<void> {
  const invocations = yield* converting(context, () =>
    hooks.flatMap((hook) => selectHook(context, hook, attributes) ?? []),
  );
  if (invocations.length === 0) return;
  if (isTimedOut(context, attributes.request)) throw requestTimeout();
  for (const invocation of invocations) yield* inMatchedVersions(context, invocation, attributes);
  yield* wait(askAll(context, invocations, attributes));
}

async function askAll(
  context: HookClientContext,
  invocations: readonly Invocation[],
  attributes: AdmissionAttributes,
): Promise<void> {
  const errors: unknown[] = [];
  await Promise.all(
    invocations.map(async (invocation, index) => {
      const onFailedOpen = (): void =>
        attributes.request.annotate(`${FAILED_OPEN}/round_0_index_${index}`, invocation.hook.name);
      try {
        await invokeHook(context, invocation, attributes, { mutating: false, onFailedOpen });
      } catch (error) {
        errors.push(error);
      }
    }),
  );
  if (errors.length > 0) throw errors[0];
}
