import type { Admission } from '../../rest/admission.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import type { HookClientContext } from './call-hook.ts';
import { dispatchMutating } from './dispatch-mutating.ts';
import { dispatchValidating } from './dispatch-validating.ts';
import { GROUP } from './hook.ts';
import { hookSource } from './hook-source.ts';
import type { Selection } from './select-hook.ts';

/**
 * Admission by the webhooks that are configured now. What they changed `plugins` look at once more
 * (`NewReinvocationHandler`).
 */
export function webhookAdmission(
  context: Selection & HookClientContext,
  plugins: readonly AdmissionPlugin[],
): Admission {
  const mutating = hookSource(context.store, 'mutatingwebhookconfigurations');
  const validating = hookSource(context.store, 'validatingwebhookconfigurations');
  return {
    *mutate(attributes) {
      const hooks = mutating();
      if (hooks.length === 0 || isExempt(attributes)) return attributes.object;
      return yield* dispatchMutating({ ...context, plugins }, hooks, attributes);
    },
    *validate(attributes) {
      const hooks = validating();
      if (hooks.length === 0 || isExempt(attributes)) return;
      yield* dispatchValidating(context, hooks, attributes);
    },
  };
}

/** Webhooks do not see writes of webhook configurations: one that denies them could not be deleted any more. */
function isExempt({ kind }: AdmissionAttributes): boolean {
  return kind.group === GROUP;
}
