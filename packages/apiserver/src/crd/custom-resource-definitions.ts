import type { Declaration } from '../model/declaration.ts';
import {
  customResourceDefinition,
  customResourceDefinitionStatus,
  firstDelete,
} from './custom-resource-definition.ts';
import { GROUP, RESOURCE } from './definition-view.ts';

/** CustomResourceDefinitions as a resource; what they make is served by `serveCustomResources`. */
export const CUSTOM_RESOURCE_DEFINITIONS: Declaration = {
  apiVersion: `${GROUP}/v1`,
  kind: 'CustomResourceDefinition',
  resource: RESOURCE,
  short: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  strategy: customResourceDefinition,
  status: customResourceDefinitionStatus,
  rest: { firstDelete, unconditionalUpdate: false },
};
