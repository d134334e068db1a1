/** Started as root before the service where a copy of its data waits: see tallydeck-data-back.service. */
import { thisBox } from "./box.ts";
import { settleData } from "./data-copy.ts";

settleData(thisBox());
