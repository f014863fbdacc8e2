import { prepareProcess } from './process-start';

prepareProcess();
// The module is the gateway's process: importing it starts the gateway.
void import('./gateway-process.js');
