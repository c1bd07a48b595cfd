import { s } from '@kubewright/kube';

// The rules of Kubernetes for names, where a definition names an object. What they reject can exist nowhere.

const LABEL = '[a-z0-9]+(-+[a-z0-9]+)*';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;

type Described = { readonly description?: string };

/** The name of a pod, a node, a Secret, a claim, a custom resource … (a DNS subdomain); may be empty, as if it were not set. */
export const dnsName = (options: Described & { readonly default?: string } = {}) =>
  s.string({ maxLength: 253, pattern: `^(${SUBDOMAIN})?$`, ...options });

/** The name of a namespace or a container (a DNS label); may be empty, as if it were not set. */
export const dnsLabel = (options: Described & { readonly default?: string } = {}) =>
  s.string({ maxLength: 63, pattern: `^(${LABEL})?$`, ...options });

/** The name of an object of any kind: some allow more than DNS does. */
export const anyName = (options: Described = {}) =>
  s.string({ minLength: 1, maxLength: 253, pattern: '^([^./%]|\\.[^./%]|\\.\\.[^/%])[^/%]*$', ...options });

/** `v1`, `apps/v1`. */
export const apiVersionName = (options: Described = {}) =>
  s.string({ minLength: 1, maxLength: 253, pattern: `^(${SUBDOMAIN}/)?${LABEL}$`, ...options });

export const kindName = (options: Described = {}) =>
  s.string({ minLength: 1, maxLength: 63, pattern: '^[A-Za-z]+[A-Za-z0-9]*(-+[A-Za-z0-9]+)*$', ...options });
