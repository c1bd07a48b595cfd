import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Client } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { anyKindApi } from '../../packages/operators/src/kit/any-kind-api.ts';
import type { Clients } from '../../packages/operators/src/ownership/testing/clients.ts';
import { reconcileManifest } from '../../packages/operators/src/ownership/testing/reconciled.ts';
import { APPLIER, type StartState } from '../../packages/operators/src/ownership/testing/start-states.ts';

/** A way to apply a manifest that drops a field which others own too. Rejects with what the tool says. */
export type Way = {
  readonly name: string;
  /** Who prepares the object: by default the clients of the state. */
  clients?(base: Clients): Clients;
  apply(manifest: KubeObject, state: StartState): Promise<void>;
};

/** What the ways need: the Go program of `go/`, kubectl, and a cluster. */
export type Tools = {
  readonly program: string;
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly client: Client;
};

/** Each tool as its own code does it, told whose fields to take wherever it can be told. */
export function ways({ program, kubectl, kubeconfig, client }: Tools): readonly Way[] {
  const library = (way: string, manifest: KubeObject, { managers }: StartState): Promise<void> =>
    run(program, ['-way', way, '-manager', APPLIER, '-from', managers.join(',')], manifest, kubeconfig);
  const apply = (manifest: KubeObject): Promise<void> => {
    const flags = ['--server-side', '--force-conflicts', `--field-manager=${APPLIER}`];
    return run(kubectl, ['apply', ...flags, '-f', '-'], manifest, kubeconfig);
  };
  return [
    { name: 'kubectl apply', apply },
    { name: 'csaupgrade', apply: (manifest, state) => library('csaupgrade', manifest, state) },
    {
      name: 'Argo CD',
      async apply(manifest, state) {
        await library('argo', manifest, state);
        await apply(manifest);
      },
    },
    { name: 'Flux', apply: (manifest, state) => library('flux', manifest, state) },
    {
      name: 'Kubewright',
      async apply(object) {
        const { state } = await reconcileManifest(anyKindApi(client), { object });
        assert(state.reconciled === true, state.reconciliationError);
      },
    },
  ];
}

/** Runs a program with the manifest as its input. */
async function run(
  program: string,
  args: readonly string[],
  manifest: KubeObject,
  kubeconfig: string,
): Promise<void> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(JSON.stringify(manifest));
  const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  assert.equal(code, 0, message.trim());
}
