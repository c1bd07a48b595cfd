import { type Client, ignoreNotFound, systemClock } from '@kubewright/client';
import { admissionregistrationv1, coordinationv1, discoveryv1, parseTime } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../../kit/operator.ts';
import { type Finding, reportFindings } from '../../../kit/report-findings.ts';
import { OperatorError } from '../../../operator-error.ts';
import { KAUSALITIES, type Kausality } from '../../api.ts';
import {
  checkOperatorClock,
  checkThisClock,
  type Clocks,
  readClocks,
  type Renewal,
} from '../../../kit/check-clocks.ts';
import { checkCounts } from './check-counts.ts';
import { checkCoverage } from './check-coverage.ts';
import { checkCredentials } from './check-credentials.ts';
import { checkPolicies } from './check-policies.ts';
import { checkOwners, checkRights } from './check-rights.ts';
import {
  checkCalled,
  checkCertificates,
  checkExclusion,
  checkInstalled,
  checkPaths,
  checkServing,
} from './check-webhooks.ts';
import { findingsFrom, readOr } from '../../../kit/findings-from.ts';
import { isCalled } from '../../approval-policy/is-called.ts';
import { type Installation, installationsOf, urlOf } from './installation.ts';
import { readTracked } from './read-tracked.ts';

/** `kubewright drift doctor`: what keeps drift from working, and how to put it right. Rejects if a check fails. */
export async function runDoctor(
  { options: { policy } }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const stage = await connect();
  const findings = await examine(stage, policy);
  reportFindings(stage, findings);
}

async function examine(
  { client, discover }: CommandStage,
  named: string | undefined,
): Promise<readonly Finding[]> {
  const configurations = await readOr(client.list(admissionregistrationv1.mutatingwebhookconfigurations));
  const policies = await readOr(readPolicies(client, named));
  const clocks = await readOr(readClocks(client));
  const installations = 'value' in configurations ? installationsOf(configurations.value.items) : [];
  const ofEach = (check: (one: Installation) => readonly Omit<Finding, 'check'>[]) =>
    installations.flatMap(check);
  const now = new Date(systemClock.now());
  return [
    ...findingsFrom('webhook', configurations, () => checkInstalled(installations)),
    ...(await examineServing(installations, client)),
    ...findingsFrom('policies', policies, (items) => checkPolicies(items)),
    ...findingsFrom('alarms', policies, (items) => checkCounts(items, now)),
    ...findingsFrom('self-exclusion', configurations, () => ofEach(checkExclusion)),
    ...findingsFrom('paths', configurations, () => installations.map(checkPaths)),
    ...findingsFrom('certificates', configurations, () => ofEach((one) => checkCertificates(one, now))),
    ...('value' in policies ? await examineTracked(policies.value, installations, { client, discover }) : []),
    ...findingsFrom('clocks', clocks, (value) => [value === undefined ? NO_TIME : checkThisClock(value)]),
    ...('value' in clocks ? await examineLeases(installations, clocks.value, client) : []),
  ];
}

/** All, or the one of a name. */
async function readPolicies(client: Client, name: string | undefined): Promise<readonly Kausality[]> {
  const { items } = await client.list(KAUSALITIES);
  const named = name === undefined ? items : items.filter(({ metadata }) => metadata.name === name);
  if (name === undefined || named.length > 0) return named;
  throw new OperatorError('NotFound', `there is no Kausality "${name}"; kubectl get kausalities lists them`);
}

/** Whether a replica serves the webhook; undefined where no Service is called. */
async function examineServing(
  installations: readonly Installation[],
  client: Client,
): Promise<readonly Finding[]> {
  const read = await Promise.all(
    installations.map(async (one) => ({ one, slices: await readOr(readSlices(one, client)) })),
  );
  const served = read.flatMap(({ one, slices }) =>
    findingsFrom('serving', slices, (items) => (items === undefined ? [] : [checkServing(one, items)])),
  );
  const outside = installations.filter((one) => one.leases.length > 0 && urlOf(one) !== undefined);
  const called = await Promise.all(
    outside.map(async (one) => ({ one, isCalled: await readOr(isCalled(client)) })),
  );
  return [
    ...served,
    ...called.flatMap(({ one, isCalled: read }) =>
      findingsFrom('serving', read, (value) => [checkCalled(one, value)]),
    ),
  ];
}

async function readSlices(
  { webhooks }: Installation,
  client: Client,
): Promise<readonly discoveryv1.EndpointSlice[] | undefined> {
  const service = webhooks.map(({ clientConfig }) => clientConfig.service).find((one) => one !== undefined);
  if (service === undefined) return undefined;
  const { name, namespace } = service;
  const labelSelector = `kubernetes.io/service-name=${name}`;
  return (await client.list(discoveryv1.endpointslices, { namespace, labelSelector })).items;
}

/** Rights on parents, and the users of controllers: both from the objects that policies track. */
async function examineTracked(
  policies: Parameters<typeof checkPolicies>[0],
  installations: readonly Installation[],
  { client, discover }: Pick<CommandStage, 'client' | 'discover'>,
): Promise<readonly Finding[]> {
  const found = await readOr(
    discover().then(async (discovered) => ({
      discovered,
      tracked: await readTracked(client, policies, discovered),
    })),
  );
  const rights: Finding[] = [];
  if ('value' in found)
    for (const one of installations) {
      const { tracked, discovered } = found.value;
      const results = await readOr(checkRights(one, tracked, { client, discovered }));
      rights.push(...findingsFrom('rights', results, (value) => value));
    }
  return [
    ...rights,
    ...findingsFrom('parents', found, ({ tracked, discovered }) =>
      checkOwners(tracked, policies, discovered),
    ),
    ...findingsFrom('coverage', found, ({ tracked }) => checkCoverage(tracked, new Date(systemClock.now()))),
    ...findingsFrom('credentials', found, ({ tracked }) => [checkCredentials(tracked)]),
  ];
}

const NO_TIME = { status: 'unknown', what: 'the server does not say what time it is' } as const;

async function examineLeases(
  installations: readonly Installation[],
  clocks: Clocks | undefined,
  client: Client,
): Promise<readonly Finding[]> {
  if (clocks === undefined) return [];
  const managed = installations.filter(({ leases }) => leases.length > 0);
  const read = await Promise.all(managed.map(({ leases }) => readOr(readRenewal(client, leases))));
  return read.flatMap((one) =>
    findingsFrom('clocks', one, (renewal) => [
      renewal === undefined
        ? { status: 'unknown', what: 'no operator has renewed a Lease: it runs without, or not at all' }
        : checkOperatorClock(renewal, clocks),
    ]),
  );
}

/** The latest renewal of the leases that are there. */
async function readRenewal(client: Client, leases: Installation['leases']): Promise<Renewal | undefined> {
  const found = await Promise.all(
    leases.map((lease) => ignoreNotFound(client.get(coordinationv1.leases, lease))),
  );
  const renewals = found.flatMap((lease): readonly Renewal[] => {
    const { renewTime, leaseDurationSeconds = 0 } = lease?.spec ?? {};
    if (renewTime == null) return [];
    return [{ at: parseTime(renewTime).getTime(), durationMs: leaseDurationSeconds * 1000 }];
  });
  return renewals.toSorted((a, b) => b.at - a.at)[0];
}
