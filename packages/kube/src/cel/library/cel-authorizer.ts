import type { Environment } from '@marcbachmann/cel-js';
import { isDns1123Label, isDns1123Subdomain } from '../../object/dns-names.ts';
import { failed } from '../failed.ts';

/** What an expression checks access to; an empty string where it names nothing. */
type AccessAttributes = {
  readonly verb: string;
  /** Set for a non-resource URL: the other fields are empty. */
  readonly path?: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
};

/** `serviceAccount` is checked in place of the user who sent the request: `system:serviceaccount:namespace:name`. */
export type Authorize = (
  attributes: AccessAttributes,
  serviceAccount?: string,
) => { readonly allowed: boolean; readonly reason: string };

/** The resource of the request under admission. */
export type RequestedResource = Omit<AccessAttributes, 'verb' | 'path'>;

// Classes, because the library finds the type of a value by its constructor; the first is a Map for its field.
class Authorizer extends Map<string, unknown> {
  readonly authorize: Authorize;
  readonly account: string | undefined;

  constructor(authorize: Authorize, requested: RequestedResource, account?: string) {
    super();
    this.authorize = authorize;
    this.account = account;
    this.set('requestResource', new ResourceCheck(this, requested));
  }

  check(attributes: AccessAttributes): AccessDecision {
    return new AccessDecision(this.authorize(attributes, this.account));
  }
}

class PathCheck {
  readonly authorizer: Authorizer;
  readonly path: string;

  constructor(authorizer: Authorizer, path: string) {
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck {
  readonly authorizer: Authorizer;
  readonly group: string;

  constructor(authorizer: Authorizer, group: string) {
    this.authorizer = authorizer;
    this.group = group;
  }
}

class ResourceCheck {
  readonly authorizer: Authorizer;
  readonly about: RequestedResource;

  constructor(authorizer: Authorizer, about: RequestedResource) {
    this.authorizer = authorizer;
    this.about = about;
  }

  with(part: Partial<RequestedResource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.about, ...part });
  }
}

class AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason }: ReturnType<Authorize>) {
    this.allowed = allowed;
    this.reason = reason;
  }
}

const NOTHING = { group: '', resource: '', subresource: '', namespace: '', name: '' };

export function celAuthorizer(authorize: Authorize, requested: RequestedResource): unknown {
  return new Authorizer(authorize, requested);
}

/** Kubernetes' authorizer library, without field and label selectors. */
export function registerAuthorizers(environment: Environment): void {
  environment
    .registerType('kubernetes.authorization.ResourceCheck', ResourceCheck)
    .registerType('kubernetes.authorization.PathCheck', PathCheck)
    .registerType('kubernetes.authorization.GroupCheck', GroupCheck)
    .registerType('kubernetes.authorization.Decision', AccessDecision)
    .registerType('kubernetes.authorization.Authorizer', {
      ctor: Authorizer,
      fields: { requestResource: 'kubernetes.authorization.ResourceCheck' },
    });
  registerChecks(environment);
  registerDecisions(environment);
}

function registerChecks(environment: Environment): void {
  const [authorizer, group, resource, path] = ['Authorizer', 'GroupCheck', 'ResourceCheck', 'PathCheck'].map(
    (name) => `kubernetes.authorization.${name}`,
  );
  environment
    .registerFunction(`${authorizer}.path(string): ${path}`, (self: Authorizer, text: string) => {
      return new PathCheck(self, filled(text, 'path'));
    })
    .registerFunction(`${authorizer}.group(string): ${group}`, (self: Authorizer, text: string) => {
      return new GroupCheck(self, text);
    })
    .registerFunction(
      `${authorizer}.serviceAccount(string, string): ${authorizer}`,
      (self: Authorizer, namespace: string, name: string) => accountAuthorizer(self, namespace, name),
    )
    .registerFunction(`${group}.resource(string): ${resource}`, (self: GroupCheck, text: string) => {
      const about = { ...NOTHING, group: self.group, resource: filled(text, 'resource') };
      return new ResourceCheck(self.authorizer, about);
    })
    .registerFunction(`${resource}.subresource(string): ${resource}`, (self: ResourceCheck, text: string) =>
      self.with({ subresource: text }),
    )
    .registerFunction(`${resource}.namespace(string): ${resource}`, (self: ResourceCheck, text: string) =>
      self.with({ namespace: text }),
    )
    .registerFunction(`${resource}.name(string): ${resource}`, (self: ResourceCheck, text: string) =>
      self.with({ name: text }),
    );
}

function registerDecisions(environment: Environment): void {
  const [resource, path, decision] = ['ResourceCheck', 'PathCheck', 'Decision'].map(
    (name) => `kubernetes.authorization.${name}`,
  );
  environment
    .registerFunction(`${resource}.check(string): ${decision}`, (self: ResourceCheck, verb: string) =>
      self.authorizer.check({ verb, ...self.about }),
    )
    .registerFunction(`${path}.check(string): ${decision}`, (self: PathCheck, verb: string) =>
      self.authorizer.check({ verb: verb.toLowerCase(), ...NOTHING, path: self.path }),
    )
    .registerFunction(`${decision}.allowed(): bool`, (self: AccessDecision) => self.allowed)
    .registerFunction(`${decision}.reason(): string`, (self: AccessDecision) => self.reason)
    .registerFunction(`${decision}.errored(): bool`, () => false)
    .registerFunction(`${decision}.error(): string`, () => '');
}

function filled(text: string, what: string): string {
  if (text.trim() === '') throw failed(`${what} must not be empty`);
  return text;
}

function accountAuthorizer(self: Authorizer, namespace: string, name: string): Authorizer {
  if (isDns1123Label(namespace).length > 0) throw failed('Invalid service account namespace');
  if (isDns1123Subdomain(name).length > 0) throw failed('Invalid service account name');
  return new Authorizer(self.authorize, NOTHING, `system:serviceaccount:${namespace}:${name}`);
}
