import { describeServers } from '../servers/describe-servers.ts';
import { conversionContract } from './conversion.contract.ts';
import { conversionDefinitionsContract } from './conversion-definitions.contract.ts';

describeServers('conversion by webhooks', conversionContract);
describeServers('definitions with conversion', conversionDefinitionsContract);
