import type { Operator } from '../kit/operator.ts';
import { SETTINGS } from './setting-names.ts';

/** Makes ClassRuntimes into Deployments and Services, and keeps their phases and conditions true. */
export const classes: Operator = {
  name: 'classes',
  summary: 'makes ClassRuntimes into Deployments and Services, and says how they do',
  settings: SETTINGS,
  load: async () => (await import('./controller.ts')).classesParts,
};
