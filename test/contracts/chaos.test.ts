import { describeRestartable } from '../servers/describe-servers.ts';
import { chaosContract } from './chaos.contract.ts';

describeRestartable('chaos', chaosContract);
