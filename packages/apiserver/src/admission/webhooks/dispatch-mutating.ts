import { errorText, type Json, jsonEqual, type JsonObject, type KubeObject } from '@kubewright/kube';
import { applyJsonPatch } from '@kubewright/kube/patch';
import { quoteGo } from '@kubewright/kube/validation';
import { internalError } from '../../api-server-error.ts';
import { asApplied } from '../../model/as-read.ts';
import { decodeValue } from '../../rest/decode-body.ts';
import { type Steps, wait } from '../../request/steps.ts';
import { converting } from '../../rest/converting.ts';
import { withObject, type AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { type AdmissionPlugin, mutatedBy } from '../admission-plugin.ts';
import { inMatchedVersion, inMatchedVersions } from '../matching/match-write.ts';
import type { HookClientContext } from './call-hook.ts';
import { invokeHook } from './invoke-hook.ts';
import type { Hook } from './hook.ts';
import { backFrom, type Invocation } from './invocation.ts';
import type { HookResponse } from './read-response.ts';
import { type Selection, selectHook } from './select-hook.ts';

const MUTATION = 'mutation.webhook.admission.k8s.io';

/** The webhooks with reinvocationPolicy IfNeeded. */
type Reinvocation = {
  /** Called already, and to be called again if something changes. */
  readonly called: Set<string>;
  /** To be called again. */
  readonly due: Set<string>;
  round: 0 | 1;
};

/**
 * Calls webhooks in order, each with the object as those before left it. When one changed it, plugins run again, and
 * webhooks with reinvocationPolicy IfNeeded that were called before a later change are called once more.
 */
export function* dispatchMutating(
  context: Selection & HookClientContext & { readonly plugins: readonly AdmissionPlugin[] },
  hooks: readonly Hook[],
  attributes: AdmissionAttributes,
): Steps<KubeObject | undefined> {
  const state: Reinvocation = { called: new Set(), due: new Set(), round: 0 };
  const called = yield* callAll(context, hooks, attributes, state);
  if (called === undefined || called === attributes.object) return called;
  const object = yield* mutatedBy(context.plugins, withObject(attributes, called));
  if (object !== called) for (const uid of state.called) state.due.add(uid);
  if (state.due.size === 0) return object;
  state.round = 1;
  return yield* callAll(context, hooks, withObject(attributes, object), state);
}

function* callAll(
  context: Selection & HookClientContext,
  hooks: readonly Hook[],
  attributes: AdmissionAttributes,
  state: Reinvocation,
): Steps<KubeObject | undefined> {
  let { object } = attributes;
  for (const [index, hook] of hooks.entries()) {
    if (state.round === 1 && !state.due.has(hook.uid)) continue;
    const current = withObject(attributes, object);
    const invocation = yield* converting(context, () => selectHook(context, hook, current));
    if (invocation === undefined) continue;
    const next = yield* callOne(context, invocation, current, `round_${state.round}_index_${index}`);
    if (next !== object) {
      for (const uid of state.called) state.due.add(uid);
      state.called.clear();
    }
    if (hook.reinvoked) state.called.add(hook.uid);
    object = next;
  }
  return object;
}

/** The object as one webhook leaves it: itself where nothing differs. */
function* callOne(
  context: HookClientContext,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  place: string,
): Steps<KubeObject | undefined> {
  const { hook } = invocation;
  const { request, object } = attributes;
  let mutated = false;
  try {
    yield* inMatchedVersions(context, invocation, attributes);
    const response = yield* wait(
      invokeHook(context, invocation, attributes, {
        mutating: true,
        onFailedOpen: () => request.annotate(`failed-open.${MUTATION}/${place}`, hook.name),
      }),
    );
    const next = response === undefined ? object : yield* patched(context, invocation, object, response);
    mutated = next !== object;
    return next;
  } finally {
    const { configuration, name: webhook } = hook;
    request.annotate(`${MUTATION}/${place}`, JSON.stringify({ configuration, webhook, mutated }));
  }
}

function* patched(
  context: HookClientContext,
  invocation: Invocation,
  object: KubeObject | undefined,
  { patch }: HookResponse,
): Steps<KubeObject | undefined> {
  if (patch === undefined) return object;
  const seen = inMatchedVersion(invocation, object);
  if (seen === undefined || object === undefined) {
    const who = `admission webhook ${quoteGo(invocation.hook.name)}`;
    throw internalError(`${who} attempted to modify the object, which is not supported for this operation`);
  }
  const mutated = decoded(invocation, applied(seen, patch));
  const next = yield* converting(context, () => backFrom(invocation, mutated, object));
  return jsonEqual(next, object) ? object : next;
}

function applied(object: KubeObject, patch: Json): JsonObject {
  try {
    return applyJsonPatch(object, patch) as JsonObject;
  } catch (error) {
    throw internalError(errorText(error));
  }
}

/** What is no field of a custom resource stays until it is stored, where it is pruned. */
function decoded({ kind }: Invocation, value: JsonObject): KubeObject {
  if (!kind.builtIn) return asApplied(kind, value as KubeObject);
  const { object, errors } = decodeValue(kind, value);
  if (errors.length > 0) throw internalError(errors.join(', '));
  return object;
}
