import { isConflict } from '@kubewright/client';
import { defined, type Json, type Stored } from '@kubewright/kube';
import {
  getPath,
  parsePathElement,
  type Path,
  parsePathPattern,
  type PathPattern,
} from '@kubewright/kube/fields';
import { applyJsonPatch } from '@kubewright/kube/patch';
import { listSetting } from '../../../kit/list-setting.ts';
import type { CommandCall, CommandStage } from '../../../kit/operator.ts';
import { printable } from '../../../kit/paint.ts';
import { OperatorError } from '../../../operator-error.ts';
import { type Claim, describeOwner, readManagedFields } from '../../read-managed-fields.ts';
import { parseTarget, readTarget } from '../read-target.ts';
import { checkDryRun } from '../take-over/run-take-over.ts';
import { locateField } from './locate-field.ts';

/** A field that is to go, and who owns it. */
type Going = { readonly text: string; readonly pattern: PathPattern; readonly owners: readonly string[] };

/**
 * `kubewright owners remove KIND/NAME --fields PATHS`: removes fields that nobody applies any more, with one guarded patch.
 * It ends all ownership of them, and nobody owns anything new.
 */
export async function runRemove(
  { args, options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { fields, yes, dryRun } = options;
  checkDryRun(dryRun);
  const patterns = listSetting(fields).map((text) => parsePathPattern(text));
  if (patterns.length === 0)
    throw new OperatorError('Usage', '--fields is missing: what to remove, for example data.old');
  const target = parseTarget(args[0] ?? '', 'owners remove');
  const stage = await connect();
  const { ref, live } = await readTarget(target, stage);
  const { claims } = readManagedFields(live);
  const going = patterns.map((pattern) => goingField(pattern, live, claims));
  const patch = patchFor(going, live);
  if (dryRun === 'client') return printRemoved(going, { dryRun }, stage);
  if (yes !== 'true' && dryRun === undefined) {
    printRemoved(going, {}, stage);
    throw new OperatorError(
      'Usage',
      'nothing was written; add --yes to write this, or --dry-run=server to try it',
    );
  }
  const { namespace, name } = live.metadata;
  const after = await stage.client
    .patch(ref, defined({ namespace, name }), { type: 'json', body: patch }, { dryRun: dryRun === 'server' })
    .catch((error: unknown) => {
      if (!isConflict(error)) throw error;
      throw new OperatorError('Failed', 'somebody else has changed the object meanwhile; run it again', {
        cause: error,
      });
    });
  const back = going.filter(({ pattern }) => locateField(after, pattern) !== undefined);
  if (back.length > 0)
    throw new OperatorError(
      'Failed',
      printable(`${back.map(({ text }) => text).join(', ')}: the server or a webhook puts it back`),
    );
  printRemoved(going, { dryRun, written: dryRun === undefined }, stage);
}

function goingField(pattern: PathPattern, live: Stored, claims: readonly Claim[]): Going {
  const { text } = pattern;
  if (pattern.exclude || locateField(live, pattern) === undefined)
    throw new OperatorError(
      'NotFound',
      printable(`the object has no ${text}; name one field, and an item by its key or position`),
    );
  const having = claims.filter(({ set }) =>
    [...set.paths()].some((path) => isAtOrBelow(path, pattern, live)),
  );
  const applier = having.find(({ owner }) => owner.operation === 'Apply');
  if (applier !== undefined) {
    const message = `${text} is applied by ${describeOwner(applier.owner)}: leave it out of its manifest, or move the ownership with "owners migrate"`;
    throw new OperatorError('Failed', printable(message));
  }
  return { text, pattern, owners: having.map(({ owner }) => describeOwner(owner)) };
}

/** Whether an owned path is the field, or in it: items are the same where they are at the same place of the object. */
function isAtOrBelow(path: Path, { steps }: PathPattern, live: Stored): boolean {
  if (path.length < steps.length) return false;
  return steps.every((step, index) => {
    const parsed = parsePathElement(path[index] ?? '');
    if (step.type === 'field') return parsed.type === 'field' && parsed.name === step.name;
    const item = getPath(live, path.slice(0, index + 1));
    const named = locateField(live, { steps: steps.slice(0, index + 1) })?.value;
    return item !== undefined && item === named;
  });
}

/** Each is looked for in what the removals before it leave; a stale `resourceVersion` leads to a 409. */
function patchFor(going: readonly Going[], live: Stored): readonly Json[] {
  const guard = { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion };
  const patch: Json[] = [];
  let left: Json = live;
  for (const { pattern } of going) {
    const found = locateField(left, pattern);
    if (found === undefined) continue;
    const operation = { op: 'remove', path: found.pointer };
    left = applyJsonPatch(left, [operation]);
    patch.push(operation);
  }
  return [...patch, guard];
}

type Outcome = { readonly dryRun?: string | undefined; readonly written?: boolean };

function printRemoved(
  going: readonly Going[],
  { dryRun, written = false }: Outcome,
  stage: CommandStage,
): void {
  const lines = going.map(
    ({ text, owners }) => `  - ${text}   owned by ${owners.length === 0 ? 'nobody' : owners.join(', ')}`,
  );
  const end = [
    ...(dryRun === undefined ? [] : [`${dryRun} dry run: nothing was written`]),
    ...(written ? ['removed'] : []),
  ];
  stage.print({
    json: {
      fields: going.map(({ text, owners }) => ({ path: text, owners: [...owners] })),
      written,
      ...defined({ dryRun }),
    },
    text: () => [...lines, ...end].map((line) => `${printable(line)}\n`).join(''),
  });
}
