import { isJsonObject, type Json, stringifyJson } from '@kubewright/kube';
import type { CommandRun, CommandStage } from '../../kit/operator.ts';
import { readDocuments } from '../../kit/read-documents.ts';
import { textTable } from '../../kit/text-table.ts';
import { OperatorError } from '../../operator-error.ts';
import { COMPONENT } from '../api.ts';
import {
  type AnyApprovalPolicy,
  APPROVAL_POLICIES,
  CLUSTER_APPROVAL_POLICIES,
} from '../approval-policy/approval-policies.ts';
import { readPolicy } from '../approval-policy/read-policy.ts';
import { DECISION_LOGS } from '../decision-log/decision-logs.ts';
import { loggedDrifts, type Simulated, simulatePolicies } from './simulate-policies.ts';

const MOST_ROWS = 50;

/** `kubewright drift simulate -f policy.yaml`: what approval policies would have approved of the logged drift. */
export async function simulate(
  { options: { filename }, terminal: { signal } }: CommandRun,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  if (filename === undefined)
    throw new OperatorError('Usage', 'name the policies with -f policy.yaml; - is standard input');
  const documents = await readDocuments(filename, { signal });
  const stage = await connect();
  const { client, namespace } = stage;
  const policies = await Promise.all(documents.map((one) => completed(one, filename, stage)));
  const read = policies.map(readPolicy);
  const [problem] = read.flatMap(({ problems }) => problems);
  if (problem !== undefined) throw new OperatorError('Usage', `${filename}: ${problem}`);
  const { items } = await client.list(DECISION_LOGS, { namespace });
  const simulated = simulatePolicies(
    read.flatMap(({ rules }) => rules),
    loggedDrifts(items),
  );
  stage.print({ json: simulated, text: () => simulationText(simulated, namespace) });
}

/** The policy as the server would store it: validated, with defaults. Nothing is stored. */
async function completed(
  document: Json,
  file: string,
  { client, namespace }: CommandStage,
): Promise<AnyApprovalPolicy> {
  const { kind, metadata } = isJsonObject(document) ? document : {};
  if (!isJsonObject(document) || !isJsonObject(metadata) || typeof metadata['name'] !== 'string')
    throw new OperatorError('Usage', `${file}: a policy needs apiVersion, kind and metadata.name`);
  const options = { fieldManager: COMPONENT, force: true, dryRun: true } as const;
  const apiVersion = 'kausality.io/v1alpha1';
  const { name } = metadata;
  const spec = document['spec'] as AnyApprovalPolicy['spec'];
  if (kind === 'ApprovalPolicy') {
    const own = { namespace, name };
    return client.apply(APPROVAL_POLICIES, { apiVersion, kind, metadata: own, spec }, options);
  }
  if (kind === 'ClusterApprovalPolicy')
    return client.apply(CLUSTER_APPROVAL_POLICIES, { apiVersion, kind, metadata: { name }, spec }, options);
  throw new OperatorError(
    'Usage',
    `${file}: ${stringifyJson(kind ?? null)} is not ApprovalPolicy or ClusterApprovalPolicy`,
  );
}

/** For people: how many would have been approved, and which not. */
export function simulationText(simulated: readonly Simulated[], namespace: string): string {
  if (simulated.length === 0) return `no drift is logged in namespace ${namespace}\n`;
  const open = simulated.filter(({ verdict }) => verdict !== 'approved');
  const unknown = open.filter(({ verdict }) => verdict === 'unknown').length;
  const approved = `${simulated.length - open.length} of ${simulated.length} drifts would have been approved`;
  const about =
    unknown === 0
      ? ''
      : `; ${unknown} are unknown, because the log does not have what their expressions read`;
  const table = open.slice(0, MOST_ROWS).map(({ verdict, drift: { decision } }) => {
    const { kind, name } = decision.object;
    const fields = decision.fields.join(', ');
    return [verdict, `${kind} ${name}`, decision.operation, decision.user, decision.time, fields];
  });
  const title = ['VERDICT', 'CHILD', 'OPERATION', 'CONTROLLER', 'LAST', 'FIELDS'];
  return `${approved}${about}\n${table.length === 0 ? '' : `\n${textTable([title, ...table])}`}`;
}
