import { type KubeObject, matchesGlob, parseApiVersion, type Status, type Stored } from '@kubewright/kube';
import {
  FieldSet,
  formatPath,
  type Path,
  type PathPattern,
  parsePathPattern,
  selectByPattern,
} from '@kubewright/kube/fields';
import type { MigrationPolicy } from '../migration-policy.ts';
import type { Claim, Owner } from '../read-managed-fields.ts';
import type { MigrationPlan } from './migration-plan.ts';

/** Never moved, even if allowed: they belong to the server or the garbage collector. */
const NEVER = ['status', 'metadata.finalizers', 'metadata.ownerReferences'];

const CONTROLLER_ANNOTATIONS = [
  "metadata.annotations['deployment.kubernetes.io/revision']",
  "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']",
];

/** Fields that a controller sets after creation; taking them over would reset them, or be rejected as immutable. */
const BY_KIND: Readonly<Record<string, readonly string[]>> = {
  '/PersistentVolumeClaim': ['spec.volumeName'],
  '/Pod': ['spec.nodeName'],
  '/Service': [
    'spec.clusterIP',
    'spec.clusterIPs',
    'spec.ipFamilies',
    'spec.ipFamilyPolicy',
    'spec.healthCheckNodePort',
    'spec.ports[*].nodePort',
  ],
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': ['webhooks[*].clientConfig.caBundle'],
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': ['webhooks[*].clientConfig.caBundle'],
  'apiextensions.k8s.io/CustomResourceDefinition': ['spec.conversion.webhook.clientConfig.caBundle'],
};

const REPLICAS = ['spec.replicas'];

/** Caches compiled patterns: a plan uses the same lists for every path. */
const compiled = new WeakMap<readonly string[], readonly PathPattern[]>();

function patternsOf(list: readonly string[]): readonly PathPattern[] {
  let patterns = compiled.get(list);
  if (patterns === undefined) {
    patterns = list.map((text) => parsePathPattern(text));
    compiled.set(list, patterns);
  }
  return patterns;
}

/** Selects members of a set by path patterns; an empty list selects nothing. */
function within(set: FieldSet, list: readonly string[]): FieldSet {
  return list.length === 0 ? FieldSet.EMPTY : selectByPattern(set, patternsOf(list));
}

/** The members of `set` that every list of the scope selects. */
export function membersInScope(set: FieldSet, { scopes }: MigrationPolicy): FieldSet {
  return scopes.reduce((members, scope) => within(members, scope), set);
}

/** The members of `set` that may be moved: in scope, and not protected on this object. */
export function movable(
  set: FieldSet,
  live: Stored,
  claims: readonly Claim[],
  policy: MigrationPolicy,
): FieldSet {
  const inScope = membersInScope(set, policy);
  let guarded = FieldSet.EMPTY;
  for (const list of protectedOf(live, claims)) guarded = guarded.union(within(inScope, list));
  const allowed = within(guarded, policy.allowProtected);
  return inScope.difference(guarded.difference(allowed)).difference(within(inScope, NEVER));
}

/** True when `path` itself may be moved. */
export function isMovable(
  path: Path,
  live: Stored,
  claims: readonly Claim[],
  policy: MigrationPolicy,
): boolean {
  return !movable(FieldSet.of(path), live, claims, policy).isEmpty;
}

function protectedOf(live: Stored, claims: readonly Claim[]): readonly (readonly string[])[] {
  const { group } = parseApiVersion(live.apiVersion);
  const scaled = claims.some(({ owner }) => owner.subresource === 'scale');
  return [CONTROLLER_ANNOTATIONS, BY_KIND[`${group}/${live.kind}`] ?? [], scaled ? REPLICAS : []];
}

/**
 * Why the ownership of one path must stay with its owner, or undefined if it may be moved. Its apiVersion does not
 * matter: a path that is owned at two versions of a kind is the same field at both, and it is only taken out of an entry.
 */
export function blockReasonOf(
  owner: Owner,
  own: { readonly manager: string },
  sources: MigrationPolicy['sources'],
): 'Subresource' | 'Unlisted' | undefined {
  if (owner.subresource !== '') return 'Subresource';
  if (owner.manager !== own.manager && !sources.every((list) => isListed(owner.manager, list)))
    return 'Unlisted';
  return undefined;
}

/** Whether an owner's whole set may become ours: also its paths that our apiVersion may not have. */
export function isAdoptable(
  owner: Owner,
  own: { readonly manager: string; readonly apiVersion: string },
  sources: MigrationPolicy['sources'],
): boolean {
  return owner.apiVersion === own.apiVersion && blockReasonOf(owner, own, sources) === undefined;
}

/** Whether `manager` is among `sources`: some pattern matches and no `!pattern` does. */
export function isListed(manager: string, sources: readonly string[]): boolean {
  const excluded = sources.some((source) => source.startsWith('!') && matchesGlob(source.slice(1), manager));
  return !excluded && sources.some((source) => !source.startsWith('!') && matchesGlob(source, manager));
}

/**
 * Why moving ownership cannot lead to this removal: the field is immutable. The server would accept the rewrite and
 * still reject the apply, so ownership is not moved.
 */
export function immutability(live: Stored, plan: MigrationPlan, refusal?: Status): string | undefined {
  const templates =
    plan.kind === 'rewrite' && isJob(live) ? plan.moves.filter(({ path }) => inTemplate(path)) : [];
  const [first] = templates;
  if (first !== undefined) {
    return `the pod template of a Job is immutable, so ${formatPath(first.path)} can only be removed with the Job itself`;
  }
  return refusal?.message?.includes('field is immutable') === true ? refusal.message : undefined;
}

function isJob({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'Job' && parseApiVersion(apiVersion).group === 'batch';
}

function inTemplate(path: readonly string[]): boolean {
  return path[0] === 'f:spec' && path[1] === 'f:template';
}
