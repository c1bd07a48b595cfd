// npm run test:nodes: a real control plane, and two real kubelets with containerd, runc and CRIU, in namespaces of their own.
// Elsewhere it says why it does not run, and succeeds.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { whyNoNodes } from '../tools/assets/find-nodes.mjs';
import { finish, prepare, run, runSuites } from './run-suites.mjs';

/** The kernel ends all processes, networks and mounts of these with the first process. */
const NAMESPACES = ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const CGROUPS = '/sys/fs/cgroup';

/** The agent of a node is the product's own command. */
async function prepareNodes() {
  if (!(await prepare())) return false;
  for (const script of ['tools/assets/assets.mjs', 'tools/assets/nodes.mjs'])
    if (!(await run(process.execPath, [script])).ok) return false;
  return true;
}

/** What the kernel keeps: the groups of processes that have ended. */
async function removeGroups(id) {
  const hierarchies = [CGROUPS, ...readdirSync(CGROUPS).map((name) => join(CGROUPS, name))];
  for (const hierarchy of hierarchies) {
    for (let attempt = 1; !isRemoved(join(hierarchy, id)); attempt++) {
      assert(attempt < 100, `a process is left in ${join(hierarchy, id)}`);
      await delay(50);
    }
  }
}

/** They are empty a moment after their processes have ended. */
function isRemoved(folder) {
  if (!existsSync(folder)) return true;
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  if (!inner.every(({ name }) => isRemoved(join(folder, name)))) return false;
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function runOnNodes() {
  if (!(await prepareNodes())) return { ok: false, report: undefined };
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-nodes-'));
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort());
  const env = { TMPDIR: folder, KUBEWRIGHT_NODES: basename(folder) };
  const args = ['--config=test/nodes/vitest.config.ts', ...process.argv.slice(2)];
  try {
    return await runSuites('nodes', args, env, { through: NAMESPACES, signal: end.signal });
  } finally {
    await removeGroups(basename(folder));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const why = whyNoNodes();
if (why === undefined) finish(true, await runOnNodes());
else console.log(`npm run test:nodes is skipped: it ${why}\n0 passed, 0 failed, 1 skipped`);
