import { ignoreNotFound } from '@kubewright/client';
import { controllerOf, corev1, errorText, type KubeObject } from '@kubewright/kube';
import {
  type AdmissionContext,
  type AdmissionRequest,
  type AdmissionResponse,
  admissionWebhook,
  allowed,
  type Cache,
  errored,
  keepMetadata,
  type Manager,
  partOf,
  type Webhook,
  withWarnings,
} from '@kubewright/runtime';
import { MANAGER } from '../../kit/install-objects.ts';
import { ACCOUNTS, KAUSALITIES, type Kausality } from '../api.ts';
import type { decideAdmission } from '../decide/decide-admission.ts';
import { type AdmissionDecision, kindOfWrite } from '../decide/decide-admission.ts';
import type { Review, World } from '../decide/review.ts';
import { CONFIGURATIONS } from '../policy/configurations.ts';
import { needsConfirmation } from '../decide/needs-confirmation.ts';
import { modeOf } from '../policy/mode-of.ts';
import { policyFor, type Target } from '../policy/policy-for.ts';
import { CONFIGURATION, homeOf } from '../policy/webhook-entries.ts';
import type { ParentRef, Parents } from './parents.ts';
import { readReview } from './read-review.ts';
import type { Reporter } from './reporter.ts';
import { respond } from './respond.ts';

const NAMESPACES = partOf(corev1.namespaces, 'drift', { transform: keepMetadata });

export type Decide = typeof decideAdmission;

/** What the webhook works with. */
export type WebhookTools = {
  readonly parents: Parents;
  readonly report: Reporter;
  readonly decide: Decide;
};

/** One write on its way through the webhook. */
type Case = {
  readonly request: AdmissionRequest;
  readonly review: Review;
  readonly target: Target;
  readonly policy: Kausality;
  readonly parentRef: ParentRef | undefined;
};

/** Judges every write that a policy names. Answers from the cache; a denial is confirmed by the server first. */
export function driftWebhook(manager: Manager, tools: WebhookTools): Webhook {
  const { cache } = manager;
  const informers = [KAUSALITIES, NAMESPACES, CONFIGURATIONS].map((ref) => cache.informer<KubeObject>(ref));
  return admissionWebhook(async (request, context) => {
    await Promise.all(informers.map((informer) => informer.waitForSync(context.signal)));
    const review = readReview(request, ownAccounts(cache));
    // A write of the status is never in the way of a controller.
    if (review === 'ignored' || (review === 'unreadable' && request.subResource === 'status'))
      return allowed();
    if (review === 'unreadable') return errored(400, 'there is no object to judge');
    const target = targetOf(request, review, cache);
    const policy = policyFor(cache.list(KAUSALITIES), target);
    if (policy === undefined) return allowed();
    const about: Case = { request, review, target, policy, parentRef: parentRefOf(review, request) };
    return judgeCase(manager, tools, about, context);
  });
}

async function judgeCase(
  manager: Manager,
  tools: WebhookTools,
  about: Case,
  context: AdmissionContext,
): Promise<AdmissionResponse> {
  const { review, request, parentRef } = about;
  let decision: AdmissionDecision;
  let world: World;
  const decide = (on: World): AdmissionDecision => tools.decide(review, on, new Date(manager.clock.now()));
  try {
    world = worldOf(manager, about, parentRef && (await tools.parents.get(parentRef)));
    decision = decide(world);
    if (needsConfirmation(decision, review, world)) {
      world = await confirmed(manager, tools, about);
      decision = decide(world);
    }
  } catch (error) {
    return unreadable(worldOf(manager, about, undefined), parentRef, error);
  }
  tools.report({ request, review, world, decision, log: context.log });
  return respond(decision, review.object);
}

/** The parent and the namespace as the server has them now: nothing is denied for what a cache does not know yet. */
async function confirmed(manager: Manager, { parents }: WebhookTools, about: Case): Promise<World> {
  const { parentRef, target } = about;
  const name = target.namespace;
  const [parent, namespace] = await Promise.all([
    parentRef && parents.live(parentRef),
    name === '' ? undefined : ignoreNotFound(manager.client.get(corev1.namespaces, { name })),
  ]);
  return worldOf(manager, about, parent, namespace);
}

function worldOf(
  { cache }: Manager,
  { review, target, policy }: Case,
  parent: KubeObject | undefined,
  namespace: KubeObject | undefined = namespaceOf(cache, target.namespace),
): World {
  const mode = modeOf({ old: review.old, parent, namespace, policy }, target);
  return { parent, mode, isEnding: namespace?.metadata.deletionTimestamp !== undefined };
}

/** Without its parent nobody can judge a change; only where drift is denied, that is a reason to stop it. */
function unreadable({ mode }: World, ref: ParentRef | undefined, error: unknown): AdmissionResponse {
  const what = `cannot read ${ref?.kind} ${ref?.name}`;
  return mode === 'enforce'
    ? errored(500, `${what}, which owns the object: ${errorText(error)}`)
    : withWarnings(allowed(), `[kausality] ${what}: the change is not judged`);
}

function parentRefOf(review: Review, { namespace }: AdmissionRequest): ParentRef | undefined {
  const kind = kindOfWrite(review);
  if (kind === 'status' || kind === 'untouched') return undefined;
  // As it was: a controller must not get rid of its parent in the write that is judged.
  const owner = (review.old && controllerOf(review.old)) ?? controllerOf(review.object);
  return owner === undefined ? undefined : { ...owner, namespace };
}

function targetOf({ resource, namespace }: AdmissionRequest, { object, old }: Review, cache: Cache): Target {
  const labels = [object, ...(old === undefined ? [] : [old])].map(({ metadata }) => metadata.labels ?? {});
  const { group } = resource;
  const name = { 'kubernetes.io/metadata.name': namespace };
  const namespaceLabels = { ...name, ...namespaceOf(cache, namespace)?.metadata.labels };
  return { group, resource: resource.resource, namespace, namespaceLabels, labels };
}

function namespaceOf(cache: Cache, name: string): KubeObject | undefined {
  return name === '' ? undefined : cache.get(NAMESPACES, { name });
}

function ownAccounts(cache: Cache): (username: string) => boolean {
  const home = homeOf(cache.get(CONFIGURATIONS, { name: CONFIGURATION }));
  const accounts = [...Object.values(ACCOUNTS), MANAGER].map(
    (name) => `system:serviceaccount:${home}:${name}`,
  );
  return (username) => accounts.includes(username);
}
