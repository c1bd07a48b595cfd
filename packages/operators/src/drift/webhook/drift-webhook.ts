import { ignoreNotFound, isConflict, isNotFound } from '@kubewright/client';
import { corev1, errorText, type KubeObject, type Stored } from '@kubewright/kube';
import {
  type AdmissionContext,
  type AdmissionRequest,
  type AdmissionResponse,
  admissionWebhook,
  allowed,
  callWithin,
  errored,
  type Manager,
  type Webhook,
  withWarnings,
} from '@kubewright/runtime';
import type { RecordPlace } from '../annotations/object-record.ts';
import type { ApprovalRules } from '../approval-policy/approval-rules.ts';
import { OperatorError } from '../../operator-error.ts';
import { merged } from '../../kit/merged.ts';
import { ANNOTATIONS, KAUSALITIES } from '../api.ts';
import type { Brake } from '../brake/create-brake.ts';
import type { decideAdmission } from '../decide/decide-admission.ts';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import type { Facts, Review } from '../decide/review.ts';
import { unenforced } from '../learning/unenforced.ts';
import { brakeEvent, freezeText, frozenFacts } from '../decide/braked.ts';
import { needsConfirmation } from '../decide/needs-confirmation.ts';
import { reserveApprovals } from '../decide/reserve-approvals.ts';
import { modeOf } from '../policy/mode-of.ts';
import { annotateParent } from '../records/annotate-parent.ts';
import { type Case, caseOf } from './case-of.ts';
import { isCleanup } from './is-cleanup.ts';
import { authorized, type MayApprove } from './may-approve.ts';
import { ownAccounts, type OwnWrites } from './own-writes.ts';
import { contentsFor, type KnownContents, withLogged } from './known-contents.ts';
import { type KnownProfiles, noneKnown } from '../controller-profile/known-profiles.ts';
import type { Parents } from './parents.ts';
import { namespaceOf, NAMESPACES, policyOfWrite } from './policy-of-write.ts';
import { readReview } from './read-review.ts';
import type { Reporter } from './reporter.ts';
import { respond } from './respond.ts';
import type { ToolRecords } from './tool-records.ts';
import { scaledUpdate } from './scaled-update.ts';

export type Decide = typeof decideAdmission;
export type NeedsConfirmation = typeof needsConfirmation;

/** The dependencies of the webhook. */
export type WebhookTools = {
  readonly parents: Parents;
  readonly report: Reporter;
  readonly decide: Decide;
  /** Default: {@link needsConfirmation}. */
  readonly needsConfirmation?: NeedsConfirmation;
  /** Default: everybody who may write an object, its controller too. */
  readonly mayApprove?: MayApprove;
  /** Default: there are no approval policies. */
  readonly approvalRules?: ApprovalRules;
  /** Default: nothing is counted. */
  readonly brake?: Brake;
  /** Default: nothing is known. */
  readonly contents?: KnownContents;
  /** Default: no tool is known. */
  readonly toolRecords?: ToolRecords;
  /** Default: nobody has added one. */
  readonly profiles?: KnownProfiles;
  /** Default: in managedFields. */
  readonly place?: RecordPlace;
  /** Default: by the operator's service accounts. */
  readonly own?: OwnWrites;
};

type Decided = { readonly facts: Facts; readonly decision: AdmissionDecision };

/** How often a parent is read again after a conflict. */
const MOST_TRIES = 5;
/** The server waits five seconds. */
const DECIDE_MS = 4000;

/** Checks every write that a policy matches. Reads from the cache; a denial is first confirmed by the server. */
export function driftWebhook(manager: Manager, tools: WebhookTools): Webhook {
  const { cache } = manager;
  const { own = ownAccounts(cache), profiles = noneKnown, approvalRules } = tools;
  const known = { ...tools, own, profiles };
  const read = [own, profiles, ...(approvalRules === undefined ? [] : [approvalRules])];
  const informers = [KAUSALITIES, NAMESPACES].map((ref) => cache.informer<KubeObject>(ref));
  return admissionWebhook(async (sent, context) => {
    const unsynced = informers.filter(({ synced }) => !synced);
    const synced = unsynced.map((informer) => informer.waitForSync(context.signal));
    const ready = read.flatMap((one) => one.ready(context.signal) ?? []);
    if (ready.length + synced.length > 0) await Promise.all([...ready, ...synced]);
    if (sent.subResource !== 'scale') return decideRequest(manager, known, sent, context);
    let update: AdmissionRequest | undefined;
    try {
      update = await within(manager, context, () => scaledUpdate(sent, manager.client));
    } catch (error) {
      return unreadableScale(manager, sent, error);
    }
    return update === undefined ? allowed() : decideRequest(manager, known, update, context);
  });
}

async function decideRequest(
  manager: Manager,
  tools: WebhookTools & Required<Pick<WebhookTools, 'own' | 'profiles'>>,
  request: AdmissionRequest,
  context: AdmissionContext,
): Promise<AdmissionResponse> {
  const { cache } = manager;
  const review = readReview(
    request,
    (sent) => tools.own.isOwn(sent),
    (stored) => tools.parents.noted(stored),
  );
  // A write of the status is never denied.
  if (review === 'ignored' || (review === 'unreadable' && request.subResource === 'status')) return allowed();
  if (review === 'unreadable') return errored(400, 'the request has no object');
  if (!request.dryRun) tools.parents.changing(review.object);
  const found = policyOfWrite(request, review, cache);
  if (found === undefined) return allowed();
  const { adopter, ...about } = caseOf(request, withProfiles(review, tools.profiles), found, tools);
  const response = await decideCase(manager, tools, about, context);
  if (!response.allowed || adopter === undefined) return response;
  return decideAdoption(manager, tools, { ...about, parentRef: adopter }, { response, context });
}

/** The objects of a write may be parents themselves. */
function withProfiles(review: Review, { noted }: KnownProfiles): Review {
  return { ...review, object: noted(review.object), old: review.old && noted(review.old) };
}

/** What takes an object from one owner to another is a change of both: the first has allowed it, in `response`. */
async function decideAdoption(
  manager: Manager,
  tools: WebhookTools,
  { review, ...about }: Case,
  { response, context }: { readonly response: AdmissionResponse; readonly context: AdmissionContext },
): Promise<AdmissionResponse> {
  const again: Case = { ...about, review: { ...review, isSecond: true } };
  const second = await decideCase(manager, tools, again, context);
  return second.allowed ? withWarnings(response, ...(second.warnings ?? [])) : second;
}

async function decideCase(
  manager: Manager,
  tools: WebhookTools,
  about: Case,
  context: AdmissionContext,
): Promise<AdmissionResponse> {
  const { review, request } = about;
  let decided: Decided;
  const { mayApprove = async () => true } = tools;
  const decide = (facts: Facts): Decided => ({
    facts,
    decision: tools.decide(review, facts, new Date(manager.clock.now())),
  });
  try {
    const read = readDecision(manager, tools, about, decide);
    decided = read instanceof Promise ? await within(manager, context, () => read) : read;
    decided = brakedDecision(manager, tools, about, decided, decide);
  } catch (error) {
    return unreadable(about, worldOf(manager, about, undefined), error);
  }
  try {
    const decision = await authorized(request, review, decided.decision, mayApprove);
    tools.report({ request, review, facts: decided.facts, decision, log: context.log });
    return respond(decision, review, tools.place);
  } catch (error) {
    return errored(500, `cannot check whether ${review.user} may approve drift: ${errorText(error)}`);
  }
}

/** A decision that comes later is none: the server gives up on the webhook, and does what its failurePolicy says. */
function within<T>({ clock }: Manager, { signal }: AdmissionContext, decide: () => Promise<T>): Promise<T> {
  return callWithin(clock, DECIDE_MS, signal, decide);
}

/** Decides from the cache, at once where the parent is there, and again from the server where that is uncertain. */
function readDecision(
  manager: Manager,
  tools: WebhookTools,
  about: Case,
  decide: (facts: Facts) => Decided,
): Decided | Promise<Decided> {
  const { parents, needsConfirmation: isUncertain = needsConfirmation } = tools;
  const { review, parentRef } = about;
  const decideWith = (parent: KubeObject | undefined): Decided | Promise<Decided> => {
    const contents = contentsFor(review, parent, tools.contents);
    const { facts, decision } = decide(merged(worldOf(manager, about, parent), { contents }));
    const isRecent = parent !== undefined && parents.isRecent(parent);
    return isUncertain(decision, review, facts, isRecent)
      ? confirmedDecision(manager, tools, about, decide)
      : { facts, decision };
  };
  const cached = parentRef && parents.cached(parentRef);
  return parentRef === undefined || cached !== undefined
    ? decideWith(cached)
    : parents.get(parentRef).then(decideWith);
}

/** Decides with the parent and the namespace read from the server, and reserves the approval that the change uses. */
async function confirmedDecision(
  manager: Manager,
  tools: WebhookTools,
  about: Case,
  decide: (facts: Facts) => Decided,
): Promise<Decided> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { facts, parent } = await confirmed(manager, tools, about);
    const contents = contentsFor(about.review, parent, tools.contents);
    const first = decide({ ...facts, contents });
    const decided = await withLogged(first, about.review, tools.contents, decide);
    const approvals = reserveApprovals(about.review, parent, decided.decision);
    if (about.request.dryRun || (await isReserved(manager, tools, parent, approvals))) return decided;
  }
  throw new OperatorError('Unavailable', 'it changes too often');
}

/** The decision, unless it is one too many for the brake: then as if the parent were frozen already. */
function brakedDecision(
  { clock }: Manager,
  { brake }: WebhookTools,
  { request, review, policy }: Case,
  { facts, decision }: Decided,
  decide: (facts: Facts) => Decided,
): Decided {
  const braked = request.dryRun ? undefined : brake?.count({ review, facts, decision }, policy.spec.brake);
  if (braked === undefined) return { facts, decision };
  const freeze = freezeText(braked, new Date(clock.now()));
  const last = facts.mode === 'enforce' ? decide(frozenFacts(facts, freeze)) : { facts, decision };
  return { ...last, decision: { ...last.decision, brake: braked, event: brakeEvent(braked, facts) } };
}

/** False if the parent has changed since it was read, and another write may have used the approval. */
async function isReserved(
  { client }: Manager,
  { place }: WebhookTools,
  parent: Stored | undefined,
  approvals: string | null | undefined,
): Promise<boolean> {
  if (parent === undefined || approvals === undefined) return true;
  try {
    await annotateParent(parent, { [ANNOTATIONS.approvals]: approvals }, client, place);
    return true;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false;
    throw new OperatorError('Failed', errorText(error), { cause: error });
  }
}

/** Reads the parent and the namespace from the server: a denial must not depend on a stale cache. */
async function confirmed(
  manager: Manager,
  { parents, approvalRules }: WebhookTools,
  about: Case,
): Promise<{ readonly facts: Facts; readonly parent: Stored | undefined }> {
  const { parentRef, target } = about;
  const name = target.namespace;
  const [parent, namespace] = await Promise.all([
    parentRef && parents.live(parentRef),
    name === '' ? undefined : ignoreNotFound(manager.client.get(corev1.namespaces, { name })),
  ]);
  const facts = worldOf(manager, about, parent, namespace);
  return { facts: { ...facts, approvalRules: approvalRules?.list(name) ?? [] }, parent };
}

function worldOf(
  { cache, clock }: Manager,
  { review, target, policy, approvesItself, isOriginal, tools = [] }: Case,
  parent: KubeObject | undefined,
  namespace: KubeObject | undefined = namespaceOf(cache, target.namespace),
): Facts {
  const mode = modeOf({ old: review.old, parent, namespace, policy }, target);
  const isEnding = namespace?.metadata.deletionTimestamp !== undefined;
  const why = mode === 'log' || isOriginal ? undefined : unenforced(parent, policy, new Date(clock.now()));
  const facts = { parent, mode, isEnding, approvesItself, tools, policy: policy.metadata.name };
  return why === undefined ? facts : { ...facts, mode: 'log', unenforced: why };
}

/** Without the parent a change cannot be checked. That blocks it only where drift is denied. */
function unreadable({ review, parentRef: ref }: Case, facts: Facts, error: unknown): AdmissionResponse {
  if (isCleanup(review, facts)) return allowed();
  const attempt = error instanceof OperatorError ? 'write approvals of' : 'read';
  const what = `cannot ${attempt} ${ref?.kind} ${ref?.name}`;
  return facts.mode === 'enforce'
    ? errored(500, `${what}, which owns the object: ${errorText(error)}`)
    : withWarnings(allowed(), `[kausality] ${what}: the change is not checked`);
}

/** As with an owner that cannot be read. */
function unreadableScale({ cache }: Manager, request: AdmissionRequest, error: unknown): AdmissionResponse {
  const { resource, namespace, name } = request;
  const found = policyOfWrite(request, {}, cache);
  if (found === undefined) return allowed();
  const { policy, target } = found;
  const what = `cannot read ${resource.resource} ${name}`;
  const facts = { old: undefined, parent: undefined, namespace: namespaceOf(cache, namespace), policy };
  return modeOf(facts, target) === 'enforce'
    ? errored(500, `${what}: ${errorText(error)}`)
    : withWarnings(allowed(), `[kausality] ${what}: the change of its scale is not checked`);
}
