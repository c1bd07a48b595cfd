import { KubeError } from '@kubewright/kube';
import { parsePathPattern } from '@kubewright/kube/fields';
import type { Environment } from '../kit/operator.ts';
import { flagSetting, listSetting } from '../kit/list-setting.ts';
import { OperatorError } from '../operator-error.ts';
import { ANNOTATIONS } from './api.ts';

/** How far the operator may go in moving ownership. */
type MigrationMode = 'off' | 'observe' | 'minimal' | 'adopt' | 'release';

const MODES: readonly MigrationMode[] = ['off', 'observe', 'minimal', 'adopt', 'release'];

/** The annotations that may allow more than the process does, by the names that `MIGRATION_ANNOTATIONS` has for them. */
const BOUNDED = {
  mode: ANNOTATIONS.mode,
  'release-to': ANNOTATIONS.releaseTo,
  cascade: ANNOTATIONS.cascade,
  'allow-prune': ANNOTATIONS.allowPrune,
  'allow-protected': ANNOTATIONS.allowProtected,
} as const;

type BoundedAnnotation = keyof typeof BOUNDED;

const BOUNDED_NAMES = Object.keys(BOUNDED) as readonly BoundedAnnotation[];

/** What may be moved, from whom. */
export type MigrationPolicy = {
  readonly mode: MigrationMode;
  /** The bounded annotations that a manifest or Composition may have. */
  readonly annotations: readonly BoundedAnnotation[];
  /** Lists of path patterns (`!` excludes). Each list must select a path for it to be in scope; none means all. */
  readonly scopes: readonly (readonly string[])[];
  /**
   * Lists of managers whose claims may be moved; `*` stands for any run of characters, `!` excludes. Each list must have
   * a manager; none means all.
   */
  readonly sources: readonly (readonly string[])[];
  /** Also move others' claims below a struct that is given up as a whole. */
  readonly cascade: boolean;
  /** Accept that the apply which follows removes or resets more than the manifest stopped mentioning. */
  readonly allowPrune: boolean;
  /** Path patterns that may be moved although they are protected. */
  readonly allowProtected: readonly string[];
  /** The field manager that gets what is released. */
  readonly releaseTo: string;
};

/** Exactly the claims that block a removal, from anybody, nothing protected. */
export const DEFAULT_POLICY: MigrationPolicy = {
  mode: 'minimal',
  annotations: BOUNDED_NAMES,
  scopes: [],
  sources: [],
  cascade: false,
  allowPrune: false,
  allowProtected: [],
  releaseTo: '',
};

/**
 * The policy of one manifest: the process's, narrowed or chosen by annotations. An annotation can narrow the scope and
 * the sources, never widen them. A string says which annotation cannot be read; nothing may be moved then.
 */
export function policyFor(
  settings: Readonly<Record<string, string>>,
  base: MigrationPolicy = DEFAULT_POLICY,
): MigrationPolicy | string {
  const problem = deniedAnnotation(settings, base) ?? unreadableAnnotation(settings);
  if (problem !== undefined) return problem;
  const mode = settings[ANNOTATIONS.mode] ?? base.mode;
  if (!isMode(mode)) return `${ANNOTATIONS.mode}: ${JSON.stringify(mode)} is not one of ${MODES.join(', ')}`;
  const releaseTo = settings[ANNOTATIONS.releaseTo] ?? base.releaseTo;
  if (mode === 'release' && releaseTo === '')
    return `${ANNOTATIONS.releaseTo}: name the field manager that gets the fields`;
  return {
    mode,
    annotations: base.annotations,
    scopes: narrowed(base.scopes, settings[ANNOTATIONS.scope]),
    sources: narrowed(base.sources, settings[ANNOTATIONS.sources]),
    cascade: flagSetting(settings[ANNOTATIONS.cascade], base.cascade),
    allowPrune: flagSetting(settings[ANNOTATIONS.allowPrune], base.allowPrune),
    allowProtected: [...base.allowProtected, ...listSetting(settings[ANNOTATIONS.allowProtected])],
    releaseTo,
  };
}

/** Each list has to select what may be moved, so another list can only narrow. */
function narrowed(
  lists: readonly (readonly string[])[],
  annotation: string | undefined,
): readonly (readonly string[])[] {
  const list = listSetting(annotation);
  return list.length === 0 ? lists : [...lists, list];
}

function deniedAnnotation(
  settings: Readonly<Record<string, string>>,
  { annotations }: MigrationPolicy,
): string | undefined {
  const denied = BOUNDED_NAMES.filter((name) => !annotations.includes(name)).map((name) => BOUNDED[name]);
  const found = denied.find((annotation) => settings[annotation] !== undefined);
  return found && `${found}: the operator's MIGRATION_ANNOTATIONS does not allow it`;
}

function unreadableAnnotation(settings: Readonly<Record<string, string>>): string | undefined {
  for (const annotation of [ANNOTATIONS.scope, ANNOTATIONS.allowProtected]) {
    const wrong = firstUnreadable(listSetting(settings[annotation]));
    if (wrong !== undefined) return `${annotation}: ${wrong}`;
  }
  return undefined;
}

/**
 * The process-wide policy from the original's settings, `MIGRATING_FIELD_MANAGERS` and `MIGRATING_FIELDS`, and ours,
 * `MIGRATION_MODE` and `MIGRATION_ANNOTATIONS`.
 */
export function policyFromEnvironment(env: Environment): MigrationPolicy {
  return {
    ...DEFAULT_POLICY,
    mode: modeFrom(env),
    annotations: annotationsFrom(env),
    sources: narrowed([], env['MIGRATING_FIELD_MANAGERS']),
    scopes: narrowed([], env['MIGRATING_FIELDS']),
  };
}

function modeFrom(env: Environment): MigrationMode {
  const mode = env['MIGRATION_MODE']?.trim() || DEFAULT_POLICY.mode;
  if (mode !== 'release' && isMode(mode)) return mode;
  const known = MODES.filter((one) => one !== 'release').join(', ');
  throw new OperatorError('Usage', `MIGRATION_MODE ${JSON.stringify(mode)} is not one of ${known}`);
}

/** Empty means all, `none` none. */
function annotationsFrom(env: Environment): readonly BoundedAnnotation[] {
  const names = listSetting(env['MIGRATION_ANNOTATIONS']);
  if (names.length === 0) return BOUNDED_NAMES;
  if (names.length === 1 && names[0] === 'none') return [];
  const unknown = names.find((name) => !(BOUNDED_NAMES as readonly string[]).includes(name));
  if (unknown === undefined) return BOUNDED_NAMES.filter((name) => names.includes(name));
  const message = `MIGRATION_ANNOTATIONS: ${JSON.stringify(unknown)} is not one of ${BOUNDED_NAMES.join(', ')}, nor none alone`;
  throw new OperatorError('Usage', message);
}

function isMode(text: string): text is MigrationMode {
  return (MODES as readonly string[]).includes(text);
}

function firstUnreadable(patterns: readonly string[]): string | undefined {
  for (const pattern of patterns) {
    try {
      parsePathPattern(pattern);
    } catch (error) {
      if (error instanceof KubeError) return error.message;
      throw error;
    }
  }
  return undefined;
}
