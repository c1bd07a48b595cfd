import { isConnectionFailed, isUnauthorized, systemClock } from '@kubewright/client';
import {
  checkThisClock,
  type Clocks,
  type CommandRun,
  type CommandStage,
  type Finding,
  findingsFrom,
  NAMESPACE,
  type Read,
  readClocks,
  readOr,
  reportFindings,
} from '@kubewright/operators';
import { version } from '../run/version.ts';
import { checkCalls } from './check-calls.ts';
import { checkDefinitions } from './check-definitions.ts';
import { checkLeaders } from './check-leaders.ts';
import { checkManagerRights } from './check-manager-rights.ts';
import { checkReplicas } from './check-replicas.ts';
import { checkSources } from './check-sources.ts';
import { checkVersions, serverVersion } from './check-versions.ts';
import { type Installation, readInstallation } from './read-installation.ts';
import type { Result } from './result.ts';

/** `kubewright doctor`: what keeps an installation from working, and what to do next. Rejects if a check fails. */
export async function runDoctor(
  { options: { namespace = NAMESPACE } }: CommandRun,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const stage = await connect();
  reportFindings(stage, await examine(stage, namespace));
}

async function examine(stage: CommandStage, namespace: string): Promise<readonly Finding[]> {
  const api = await reached(stage);
  if ('fault' in api) return [{ check: 'api', ...api.fault }];
  const { client } = stage;
  const found = await readOr(readInstallation(client, namespace));
  if ('error' in found)
    return [API_OK, { check: 'installation', status: 'failed', what: found.error, fix: READER }];
  const installation = found.value;
  const clocks = await readOr(readClocks(client));
  const of = async (check: string, results: Promise<readonly Result[]>): Promise<readonly Finding[]> =>
    findingsFrom(check, await readOr(results), (value) => value);
  const checks = await Promise.all([
    of('definitions', checkDefinitions(client, installation)),
    of('rights', checkManagerRights(client, installation)),
    of('replicas', checkReplicas(installation, stage)),
    of('webhooks', checkCalls(client, installation, new Date(systemClock.now()))),
    of('sources', checkSources(client, installation.operators)),
  ]);
  return [
    API_OK,
    ...findingsFrom('versions', { value: api.version }, (server) =>
      checkVersions(server, installation.leaders, version()),
    ),
    ...leases(installation, clocks),
    ...checks.flat(),
    ...findingsFrom('clocks', clocks, (value) => [value === undefined ? NO_TIME : checkThisClock(value)]),
  ];
}

const API_OK: Finding = { check: 'api', status: 'ok', what: 'the API server responds' };
const READER =
  'run it as somebody who may read Leases, Deployments and pods: an administrator of the cluster';
const NO_TIME: Result = { status: 'unknown', what: 'the server does not say what time it is' };

function leases(installation: Installation, clocks: Read<Clocks | undefined>): readonly Finding[] {
  const time = 'value' in clocks ? clocks.value : undefined;
  return checkLeaders(installation, time).map((one) => ({ check: 'leases', ...one }));
}

/** The server's version; a fault where it does not respond to this user. */
async function reached({
  getText,
}: CommandStage): Promise<
  { readonly version: ReturnType<typeof serverVersion> } | { readonly fault: Result }
> {
  try {
    const response = await getText('/version');
    if (response.status !== 401) return { version: serverVersion(response) };
    return {
      fault: { status: 'failed', what: 'the API server does not accept these credentials', fix: CHOOSE },
    };
  } catch (error) {
    if (!isConnectionFailed(error) && !isUnauthorized(error)) throw error;
    const what = `the API server does not respond: ${(error as Error).message}`;
    return { fault: { status: 'failed', what, fix: CHOOSE } };
  }
}

const CHOOSE = 'is the cluster running? choose another with --kubeconfig or --context';
