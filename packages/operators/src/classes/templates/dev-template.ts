import { functionObjects } from './function-objects.ts';
import { ODGM_REGISTRY, type Template } from './template.ts';

const ELSEWHERE = -10;

export const devTemplate: Template = {
  id: 'dev',
  aliases: [],
  odgmImage: `${ODGM_REGISTRY}:dev-alpha`,
  score({ profile, isEdge }) {
    if (profile === 'dev') return 1_000_000;
    return isEdge ? 10 : ELSEWHERE;
  },
  functionObjects,
};
