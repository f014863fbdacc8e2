import { runRoom } from './room';

runRoom('cli');
