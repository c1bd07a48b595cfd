export type * from './registry/resource-definition.ts';
export type * from './registry/extension.ts';
export { createRegistry, type Registry, type RegistryChange } from './registry/registry.ts';
export { builtInResources } from './kinds/built-in-resources.ts';
export { type ApiServer, type ApiServerOptions, createApiServer, type ListenOptions } from './api-server.ts';
export type { TokenUser } from './auth/authenticator.ts';
export type { AuthorizationAttributes, Authorizer, Decision } from './auth/authorizer.ts';
export { ADMIN, type UserInfo } from './auth/user-info.ts';
export type { ServerClock } from './clock.ts';
