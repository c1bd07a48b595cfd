export type * from './registry/resource-definition.ts';
export type * from './registry/extension.ts';
export { createRegistry, type Registry, type RegistryChange } from './registry/registry.ts';
export { builtInResources } from './kinds/built-in-resources.ts';
