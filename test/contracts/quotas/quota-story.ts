import { randomUUID } from 'node:crypto';
import type { Json, JsonObject, Transport } from '@kubewright/kube';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { at } from '../../support/at.ts';

/** A namespace with quotas. */
export class QuotaStory {
  readonly #transport: Transport;
  readonly namespace = `quota-${randomUUID().slice(0, 8)}`;

  private constructor(transport: Transport) {
    this.#transport = transport;
  }

  static async begin(transport: Transport): Promise<QuotaStory> {
    const story = new QuotaStory(transport);
    await call(transport, 'POST', '/api/v1/namespaces', { metadata: { name: story.namespace } });
    return story;
  }

  /** `pods`, `rbac.authorization.k8s.io/roles`, and a name where one is meant. */
  #path(resource: string): string {
    const [group = '', plural] = resource.includes('/') ? resource.split('/') : ['', resource];
    const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
    return `${root}/namespaces/${this.namespace}/${plural}`;
  }

  create(resource: string, name: string, more: JsonObject = {}): Promise<Answer> {
    return call(this.#transport, 'POST', this.#path(resource), { metadata: { name }, ...more });
  }

  quota(name: string, hard: JsonObject, more: JsonObject = {}): Promise<Answer> {
    return this.create('resourcequotas', name, { spec: { hard, ...more } });
  }

  pod(name: string, resources: JsonObject = {}, more: JsonObject = {}): Promise<Answer> {
    return this.create('pods', name, {
      spec: { containers: [{ name: 'c', image: 'a', resources }], ...more },
    });
  }

  patch(resource: string, name: string, body: JsonObject): Promise<Answer> {
    return call(this.#transport, 'PATCH', `${this.#path(resource)}/${name}`, body, PATCH.merge);
  }

  delete(resource: string, name: string): Promise<Answer> {
    return call(this.#transport, 'DELETE', `${this.#path(resource)}/${name}`);
  }

  async status(name: string): Promise<Json | undefined> {
    const { body } = await call(this.#transport, 'GET', `${this.#path('resourcequotas')}/${name}`);
    return at(body, 'status');
  }

  /** A quota's status as by hand, for servers without the controller. */
  tell(name: string, hard: JsonObject, used: JsonObject): Promise<Answer> {
    return this.patch('resourcequotas', `${name}/status`, { status: { hard, used } });
  }
}
