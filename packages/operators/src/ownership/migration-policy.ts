import { KubeError } from '@kubewright/kube';
import { parsePathPattern } from '@kubewright/kube/fields';
import type { Environment } from '../kit/operator.ts';
import { flagSetting, listSetting } from '../kit/list-setting.ts';
import { ANNOTATIONS } from './api.ts';

/** How far the operator may go in moving ownership. */
type MigrationMode = 'off' | 'observe' | 'minimal' | 'adopt' | 'release';

const MODES: readonly MigrationMode[] = ['off', 'observe', 'minimal', 'adopt', 'release'];

/** What may be moved, from whom. */
export type MigrationPolicy = {
  readonly mode: MigrationMode;
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
  const mode = settings[ANNOTATIONS.mode] ?? base.mode;
  if (!isMode(mode)) return `${ANNOTATIONS.mode}: ${JSON.stringify(mode)} is not one of ${MODES.join(', ')}`;
  const scope = listSetting(settings[ANNOTATIONS.scope]);
  const allowProtected = listSetting(settings[ANNOTATIONS.allowProtected]);
  const wrong = firstUnreadable([...scope, ...allowProtected]);
  if (wrong !== undefined) return `${ANNOTATIONS.scope}: ${wrong}`;
  const sources = listSetting(settings[ANNOTATIONS.sources]);
  const releaseTo = settings[ANNOTATIONS.releaseTo] ?? base.releaseTo;
  if (mode === 'release' && releaseTo === '')
    return `${ANNOTATIONS.releaseTo}: name the field manager that gets the fields`;
  return {
    mode,
    scopes: scope.length === 0 ? base.scopes : [...base.scopes, scope],
    sources: sources.length === 0 ? base.sources : [...base.sources, sources],
    cascade: flagSetting(settings[ANNOTATIONS.cascade], base.cascade),
    allowPrune: flagSetting(settings[ANNOTATIONS.allowPrune], base.allowPrune),
    allowProtected: [...base.allowProtected, ...allowProtected],
    releaseTo,
  };
}

/** The process-wide policy from the original's settings, `MIGRATING_FIELD_MANAGERS` and `MIGRATING_FIELDS`. */
export function policyFromEnvironment(env: Environment): MigrationPolicy {
  const sources = listSetting(env['MIGRATING_FIELD_MANAGERS']);
  const fields = listSetting(env['MIGRATING_FIELDS']);
  return {
    ...DEFAULT_POLICY,
    sources: sources.length === 0 ? [] : [sources],
    scopes: fields.length === 0 ? [] : [fields],
  };
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
