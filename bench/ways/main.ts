import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { corev1, type KubeObject } from '@kubewright/kube';
import { type Clients, clientsIn } from '../../packages/operators/src/ownership/testing/clients.ts';
import {
  outcomeOf,
  START_STATES,
  type StartState,
} from '../../packages/operators/src/ownership/testing/start-states.ts';
import { findHelm, HELM_VERSIONS } from '../../tools/assets/find-helm.mjs';
import { findKubectl, KUBERNETES_VERSION } from '../../tools/assets/find.mjs';
import { goProgram } from '../go-program.ts';
import { withKubeApiServer } from '../with-kube-apiserver.ts';
import { helmWays } from './helm-ways.ts';
import { type Way, ways } from './ways.ts';

const NAMESPACE = 'ways';
const kubectl = findKubectl();
const PAGE = fileURLToPath(new URL('../../docs/comparison.md', import.meta.url));
const [BEGIN, END] = ['<!-- made by npm run compare -->\n', '<!-- end -->'];

/** `npm run compare`: tries every way on every start state on a kube-apiserver, and writes the table of the page. */
async function compare(): Promise<void> {
  const program = await goProgram('ways');
  assert(program !== undefined && kubectl !== undefined, 'Go and kubectl are needed: npm run assets');
  const programs = findHelm();
  assert(programs !== undefined, 'Helm 3 and 4 are needed: npm run assets:helm');
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-ways-'));
  const table = await withKubeApiServer(async ({ kubeconfig, client }) => {
    const metadata = { name: NAMESPACE };
    await client.create<KubeObject>(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    const clients = clientsIn(NAMESPACE, () => client);
    const all = [
      ...ways({ program, kubectl, kubeconfig, client }),
      ...helmWays({ programs, kubeconfig, namespace: NAMESPACE, folder }),
    ];
    const rows = [
      row(['The object was', ...all.map(({ name }) => name)]),
      row(Array(all.length + 1).fill('---')),
    ];
    for (const [index, state] of START_STATES.entries()) {
      const cells: string[] = [];
      for (const [nth, way] of all.entries())
        cells.push(await tried(clients, state, way, `s${index}-${nth}`));
      rows.push(row([state.title, ...cells]));
      console.error(rows.at(-1));
    }
    return rows.join('\n');
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  assert(after !== undefined, `${PAGE}: the table's place is not marked`);
  writeFileSync(PAGE, `${before}${BEGIN}\n${table}\n\n${versions()}\n\n${END}${after}`);
}

/** What was tried: of Kubernetes, and of the Go modules. */
function versions(): string {
  const said = execFileSync(kubectl ?? 'kubectl', ['version', '--client', '-o', 'yaml'], {
    encoding: 'utf8',
  });
  const modules = readFileSync(new URL('go/go.mod', import.meta.url), 'utf8');
  const of = (name: string): string => `${name} ${new RegExp(`${name} (v\\S+)`).exec(modules)?.[1] ?? '?'}`;
  const { version } = /gitVersion: "?(?<version>v[\d.]+)/.exec(said)?.groups ?? {};
  const libraries = ['k8s.io/client-go', 'github.com/fluxcd/pkg/ssa'].map(of).join(', ');
  return `Tried with kube-apiserver ${KUBERNETES_VERSION}, kubectl ${version}, Helm ${HELM_VERSIONS.helm3} and ${HELM_VERSIONS.helm4}, ${libraries}.`;
}

/** One cell: what became of one object. */
async function tried(clients: Clients, state: StartState, way: Way, name: string): Promise<string> {
  await state.prepare(way.clients?.(clients) ?? clients, name);
  const manifest = state.manifest(name);
  const before = await clients.get(manifest);
  const namespaced = { ...manifest, metadata: { ...manifest.metadata, namespace: NAMESPACE } };
  const refused = await way.apply(namespaced, state).then(
    () => false,
    () => true,
  );
  const { isStuck, changed } = outcomeOf(state, before, await clients.get(manifest));
  const removal = isStuck ? (refused ? '**refused**' : '**stays**, no error') : 'removed';
  return changed.length === 0
    ? removal
    : `${removal}; changed: ${changed.map((one) => `\`${one}\``).join(', ')}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

await compare();
