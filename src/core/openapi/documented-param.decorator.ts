import { Param, type PipeTransform, type Type } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';

interface Documented {
  description: string;
  schema: { type: 'string'; pattern?: string; enum?: string[]; example: string };
}

export function DocumentedParam(
  name: string,
  documented: Documented,
  ...pipes: Type<PipeTransform>[]
): ParameterDecorator {
  return (target, handler, index) => {
    Param(name, ...pipes)(target, handler, index);
    ApiParam({ name, ...documented })(target, handler!, Object.getOwnPropertyDescriptor(target, handler!)!);
  };
}
