import type { Leader } from './read-installation.ts';
import type { Result } from './result.ts';

/** The first minor of Kubernetes that has all that operators use. */
const OLDEST = 28;

/** What `/version` of an API server has. */
export type ServerVersion = { readonly gitVersion: string; readonly major: string; readonly minor: string };

/** The version in a response of `/version`. */
export function serverVersion({
  status,
  text,
}: {
  readonly status: number;
  readonly text: string;
}): ServerVersion | undefined {
  if (status !== 200) return undefined;
  const { gitVersion, major, minor } = JSON.parse(text) as Partial<ServerVersion>;
  return gitVersion === undefined || major === undefined || minor === undefined
    ? undefined
    : { gitVersion, major, minor };
}

/** Whether Kubernetes is new enough, and the managers are of this version. */
export function checkVersions(
  server: ServerVersion | undefined,
  leaders: readonly Leader[],
  own: string,
): readonly Result[] {
  const managers = leaders.map(({ namespace, version = 'older than 0.1.0' }): Result => {
    const what = `the manager of Lease ${namespace}/kubewright is ${version}, as this program`;
    if (version === own) return { status: 'ok', what };
    const fix = `use the program of that version, or upgrade: kubewright install -n ${namespace} | kubectl apply -f -`;
    return {
      status: 'warning',
      what: `the manager of Lease ${namespace}/kubewright is ${version}, this program ${own}`,
      fix,
    };
  });
  if (server === undefined)
    return [{ status: 'unknown', what: 'the server does not say its version' }, ...managers];
  const isOld = server.major === '1' && Number.parseInt(server.minor, 10) < OLDEST;
  const kubernetes: Result = isOld
    ? {
        status: 'failed',
        what: `Kubernetes ${server.gitVersion} is too old`,
        fix: `operators need 1.${OLDEST} or later: upgrade the cluster`,
      }
    : { status: 'ok', what: `Kubernetes ${server.gitVersion}` };
  return [kubernetes, ...managers];
}
