// Builds one controller in two releases, and once more with something planted, from the modules that go.mod pins.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goBuild } from './build.mjs';
import { CONTROLLERS, programsOf } from './find-controllers.mjs';
import { holds } from './find.mjs';
import { PLANTS } from './plants.mjs';

const HERE = fileURLToPath(new URL('controllers/', import.meta.url));
const ENV = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' };

function run(go, args) {
  return execFileSync(go, args, { cwd: HERE, env: ENV, stdio: ['ignore', 'pipe', 'pipe'] }).toString();
}

/** The folder of a module in Go's cache, which is read only. */
function moduleFolder(go, module, version) {
  return JSON.parse(run(go, ['mod', 'download', '-json', `${module}@${version}`])).Dir;
}

/** The flags of a build with other requirements than those of go.mod; go.sum has the sums of all of them. */
function changedModule(go, folder, edits) {
  if (edits.length === 0) return ['-mod=readonly'];
  const file = join(folder, 'go.mod');
  copyFileSync(join(HERE, 'go.mod'), file);
  copyFileSync(join(HERE, 'go.sum'), join(folder, 'go.sum'));
  run(go, ['mod', 'edit', ...edits, file]);
  return [`-modfile=${file}`, '-mod=mod'];
}

/** The edit by which a copy of the module is used, in which some texts are others. */
function changedCopy(go, { name, version, changes, folder }) {
  const { module } = CONTROLLERS[name];
  const copy = join(folder, 'module');
  cpSync(moduleFolder(go, module, version), copy, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', copy]);
  for (const { file, from, to } of changes) {
    const parts = readFileSync(join(copy, file), 'utf8').split(from);
    assert(parts.length === 2, `${file} of ${module} ${version} has not once what is to be changed`);
    writeFileSync(join(copy, file), parts.join(to));
  }
  return `-replace=${module}=${copy}`;
}

/** The edits by which a release is built that go.mod does not pin, or with other texts. */
function editsOf(go, { name, version, plants = [], folder }) {
  const { module, versions, changes: always = [] } = CONTROLLERS[name];
  const changes = [...always, ...plants];
  if (changes.length > 0) return [changedCopy(go, { name, version, changes, folder })];
  return version === versions.at(-1) ? [] : [`-replace=${module}=${module}@${version}`];
}

/** The definitions of its kinds, as one folder. */
function copyDefinitions(go, name, target) {
  const { module, versions, definitions } = CONTROLLERS[name];
  if (existsSync(target)) return;
  const partial = `${target}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial);
  const folder = moduleFolder(go, module, versions.at(-1));
  for (const each of definitions)
    for (const file of readdirSync(join(folder, each)))
      if (/\.ya?ml$/.test(file) && file !== 'kustomization.yaml')
        copyFileSync(join(folder, each, file), join(partial, file));
  renameSync(partial, target);
}

async function buildOne(go, directory, { binary, program, flags, log }) {
  if (holds(directory, [binary])) return;
  const partial = join(directory, `.${binary}.${process.pid}`);
  const folder = `${partial}.sources`;
  mkdirSync(folder, { recursive: true });
  try {
    const args = ['build', '-trimpath', ...flags(folder), '-ldflags', '-s -w', '-o', partial, program];
    await goBuild(go, { name: binary, args, cwd: HERE, log });
    renameSync(partial, join(directory, binary));
  } finally {
    rmSync(partial, { force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds what is missing of one controller. Each program appears whole or not at all. */
export async function buildController(go, directory, name, log) {
  mkdirSync(directory, { recursive: true });
  const controller = CONTROLLERS[name];
  const { current, previous, planted, definitions } = programsOf(name);
  copyDefinitions(go, name, join(directory, definitions));
  const { program, versions, older = [] } = controller;
  const one = (binary, version, plants) =>
    buildOne(go, directory, {
      binary,
      program,
      log,
      flags: (folder) =>
        changedModule(go, folder, [...older, ...editsOf(go, { name, version, plants, folder })]),
    });
  const plant = PLANTS[name];
  await one(current, plant?.isRelease ? versions[0] : versions.at(-1));
  if (planted) await one(planted, versions.at(-1), plant.isRelease ? [] : [plant]);
  if (previous) await one(previous, versions[0]);
}
