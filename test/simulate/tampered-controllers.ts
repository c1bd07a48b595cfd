import type { UserInfo } from '@kubewright/apiserver';
import { type Component, type ControllerName, startControllers } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';

/** Changes how controllers call: a variant that is broken on purpose. */
export type Tamper = (transport: Transport) => Transport;

/** The built-in controllers, which call as `tamper` lets them; `names` are by default all. */
export function tamperedControllers(tamper: Tamper, names?: readonly ControllerName[]): Component {
  return {
    name: 'controllers',
    async start({ connect, clock, random, signal }) {
      const tampered = (user: UserInfo): Transport => tamper(connect(user));
      const some = names === undefined ? {} : { controllers: names };
      await startControllers({ ...some, connect: tampered, clock, random, signal }).ended;
    },
  };
}
