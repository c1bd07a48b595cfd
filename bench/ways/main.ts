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
const END = '<!-- end -->';

/** A table of the page: what its columns are, and with what they were tried. */
type Table = {
  readonly begin: string;
  readonly columns: readonly Way[];
  readonly versions: readonly string[];
};

/** `npm run compare`: tries every way on every start state on a kube-apiserver, and writes the tables of the page. */
async function compare(): Promise<void> {
  const program = await goProgram('ways');
  assert(program !== undefined && kubectl !== undefined, 'Go and kubectl are needed: npm run assets');
  const programs = findHelm();
  assert(programs !== undefined, 'Helm 3 and 4 are needed: npm run assets:helm');
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-ways-'));
  const made = await withKubeApiServer(async ({ kubeconfig, client }) => {
    const metadata = { name: NAMESPACE };
    await client.create<KubeObject>(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    const clients = clientsIn(NAMESPACE, () => client);
    const tables: readonly Table[] = [
      {
        begin: '<!-- made by npm run compare -->\n',
        columns: ways({ program, kubectl, kubeconfig, client }),
        versions: toolVersions(),
      },
      {
        begin: '<!-- made by npm run compare, of Helm -->\n',
        columns: helmWays({ programs, kubeconfig, namespace: NAMESPACE, folder }),
        versions: [`Helm ${HELM_VERSIONS.helm3}`, `Helm ${HELM_VERSIONS.helm4}`],
      },
    ];
    const texts: (readonly [table: Table, text: string])[] = [];
    for (const [nth, table] of tables.entries())
      texts.push([table, await tableText(clients, table, `t${nth}`)]);
    return texts;
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
  const page = made.reduce((text, [table, rows]) => withTable(text, table, rows), readFileSync(PAGE, 'utf8'));
  writeFileSync(PAGE, page);
}

/** Tries what a table shows, each cell on an object of its own. */
async function tableText(clients: Clients, { columns }: Table, prefix: string): Promise<string> {
  const heads = ['The object was', ...columns.map(({ name }) => name)];
  const rows = [row(heads), row(heads.map(() => '---'))];
  for (const [index, state] of START_STATES.entries()) {
    const cells: string[] = [];
    for (const [nth, way] of columns.entries())
      cells.push(await tried(clients, state, way, `${prefix}-s${index}-${nth}`));
    rows.push(row([state.title, ...cells]));
    console.error(rows.at(-1));
  }
  return rows.join('\n');
}

function withTable(page: string, { begin, versions }: Table, rows: string): string {
  const [before, ...rest] = page.split(begin);
  const [, ...after] = rest.join(begin).split(END);
  assert(after.length > 0, `${PAGE}: the place of a table is not marked: ${begin}`);
  const tools = [`kube-apiserver ${KUBERNETES_VERSION}`, ...versions].join(', ');
  return `${before}${begin}\n${rows}\n\nTried with ${tools}.\n\n${END}${after.join(END)}`;
}

/** Of kubectl, and of the Go modules. */
function toolVersions(): readonly string[] {
  const said = execFileSync(kubectl ?? 'kubectl', ['version', '--client', '-o', 'yaml'], {
    encoding: 'utf8',
  });
  const modules = readFileSync(new URL('go/go.mod', import.meta.url), 'utf8');
  const of = (name: string): string => `${name} ${new RegExp(`${name} (v\\S+)`).exec(modules)?.[1] ?? '?'}`;
  const { version } = /gitVersion: "?(?<version>v[\d.]+)/.exec(said)?.groups ?? {};
  return [`kubectl ${version}`, ...['k8s.io/client-go', 'github.com/fluxcd/pkg/ssa'].map(of)];
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
