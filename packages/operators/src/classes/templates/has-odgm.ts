import type { ClassRuntime } from '../api.ts';
import type { Settings } from '../settings.ts';

/** Whether a class has a data grid. */
export function hasOdgm({ spec }: ClassRuntime, { odgm }: Pick<Settings, 'odgm'>): boolean {
  return odgm && (spec.addons === null || spec.addons.some((addon) => addon.toLowerCase() === 'odgm'));
}
