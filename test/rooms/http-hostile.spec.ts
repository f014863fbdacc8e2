import { runRoom } from './room';

runRoom('http', /^hostile/);
