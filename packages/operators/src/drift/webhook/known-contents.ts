import { ApiError, type Client, ignoreNotFound } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { type AcceptedContent, withContent } from '../decide/accepted-content.ts';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import type { Facts, Review } from '../decide/review.ts';
import type { Ledger } from '../decide/ledger.ts';
import type { Backlog } from './create-backlog.ts';
import { DECISION_LOGS } from '../decision-log/decision-logs.ts';

/** What the controller of a parent has made of its children before. */
export type KnownContents = {
  /** As far as this process has seen it. */
  of(parent: KubeObject | undefined): readonly AcceptedContent[];
  /** With what the decision log of the parent has: other replicas, and processes before this one, have seen it. */
  logged(parent: KubeObject): Promise<readonly AcceptedContent[]>;
};

export function knownContents(
  client: Client,
  ledger: Pick<Ledger, 'of'>,
  backlog: Pick<Backlog, 'drain'>,
): KnownContents {
  const of = (parent: KubeObject | undefined): readonly AcceptedContent[] => {
    backlog.drain();
    return ledger.of(parent?.metadata.uid ?? '');
  };
  return {
    of,
    async logged(parent) {
      const { namespace, uid } = parent.metadata;
      if (namespace === undefined || uid === undefined) return of(parent);
      const log = await readLog(client, { namespace, name: uid });
      return of(parent).reduce(withContent, log?.spec.contents ?? []);
    },
  };
}

type Decided = { readonly facts: Facts; readonly decision: AdmissionDecision };

/** Only a child that is created or deleted is compared with those before it. */
export function contentsFor(
  { operation }: Review,
  parent: KubeObject | undefined,
  contents: KnownContents | undefined,
): readonly AcceptedContent[] {
  return operation === 'UPDATE' ? [] : (contents?.of(parent) ?? []);
}

/** What may be another decision with all that the controller has made before. */
const UNKNOWN: ReadonlySet<AdmissionDecision['reason']> = new Set([
  'Drift',
  'Approved',
  'FromTemplate',
  'ByProfile',
]);

/** The decision, or, where that may be another one, that with all that is known of the parent's children. */
export async function withLogged(
  decided: Decided,
  { operation }: Review,
  contents: KnownContents | undefined,
  decide: (facts: Facts) => Decided,
): Promise<Decided> {
  const { facts, decision } = decided;
  const { parent } = facts;
  const isKnown = operation === 'UPDATE' || !UNKNOWN.has(decision.reason);
  if (isKnown || parent === undefined || contents === undefined) return decided;
  return decide({ ...facts, contents: await contents.logged(parent) });
}

/** Without it, more is drift. That is no reason to reject the write. */
async function readLog(client: Client, key: { readonly namespace: string; readonly name: string }) {
  try {
    return await ignoreNotFound(client.get(DECISION_LOGS, key));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
