import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { Access, type AccessRule } from '../../core/http/access.decorator';
import { isOutsideApi } from '../../core/http/api-prefix';

/** The handlers under /api that need no key, as `Controller.method`. */
const PUBLIC_UNDER_API: ReadonlySet<string> = new Set(['DashboardController.exchange']);

/** Denies by default: the start fails if a handler declares no access, or is public under /api. */
@Injectable()
export class AccessDeclarations implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const controllers = this.discovery.getControllers().map(({ metatype }) => metatype as Type);
    const faults = controllers.flatMap((controller) => this.faultsOf(controller));
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

  private faultsOf(controller: Type): string[] {
    const prototype = controller.prototype as Record<string, object>;
    return this.scanner
      .getAllMethodNames(prototype)
      .filter((name) => Reflect.hasMetadata(METHOD_METADATA, prototype[name]!))
      .flatMap((name) => this.faultOf(controller, name, prototype[name] as Type) ?? []);
  }

  private faultOf(controller: Type, name: string, handler: Type): string | undefined {
    const handlerName = `${controller.name}.${name}`;
    const rule = this.reflector.get(Access, handler) as AccessRule | undefined;
    if (rule === undefined) return `${handlerName} declares no scope: add @RequireScope(…)`;
    if (rule !== 'public' || PUBLIC_UNDER_API.has(handlerName)) return undefined;
    const path = this.reflector.get<string | string[]>(PATH_METADATA, controller);
    return isOutsideApi(path)
      ? undefined
      : `${handlerName} is @Public() under /api: add @RequireScope(…), or name it in PUBLIC_UNDER_API`;
  }
}
