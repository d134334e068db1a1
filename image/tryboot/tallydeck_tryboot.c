// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * Asks a Raspberry Pi's firmware to read tryboot.txt instead of config.txt at the next reset, once.
 * Debian's kernel knows how to talk to the firmware, and asks this of it nowhere.
 *
 * /sys/module/tallydeck_tryboot/parameters/tryboot: write 1 to ask for it and 0 to take that back;
 * read what the firmware says it will do.
 */
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/sysfs.h>
#include <soc/bcm2835/raspberrypi-firmware.h>

/* Tags of the firmware's property interface, and the one flag of theirs that is ours to change. */
#define GET_REBOOT_FLAGS 0x00030064
#define SET_REBOOT_FLAGS 0x00038064
#define TRYBOOT 1u

static struct rpi_firmware *firmware;

static int ask(u32 tag, u32 *flags)
{
	return firmware ? rpi_firmware_property(firmware, tag, flags, sizeof(*flags)) : -ENODEV;
}

static int write_tryboot(const char *text, const struct kernel_param *param)
{
	bool is_wanted;
	u32 flags = 0;
	int error = kstrtobool(text, &is_wanted);

	if (!error)
		error = ask(GET_REBOOT_FLAGS, &flags);
	if (error)
		return error;
	flags = is_wanted ? flags | TRYBOOT : flags & ~TRYBOOT;
	return ask(SET_REBOOT_FLAGS, &flags);
}

static int read_tryboot(char *text, const struct kernel_param *param)
{
	u32 flags = 0;
	int error = ask(GET_REBOOT_FLAGS, &flags);

	return error ? error : sysfs_emit(text, "%u\n", flags & TRYBOOT);
}

static const struct kernel_param_ops tryboot_ops = { .set = write_tryboot, .get = read_tryboot };

module_param_cb(tryboot, &tryboot_ops, NULL, 0600);
MODULE_PARM_DESC(tryboot, "1: the firmware reads tryboot.txt at the next reset, once");

static int __init tryboot_init(void)
{
	struct device_node *node =
		of_find_compatible_node(NULL, NULL, "raspberrypi,bcm2835-firmware");

	firmware = node ? rpi_firmware_get(node) : NULL;
	of_node_put(node);
	return firmware ? 0 : -ENODEV;
}

static void __exit tryboot_exit(void)
{
	rpi_firmware_put(firmware);
}

module_init(tryboot_init);
module_exit(tryboot_exit);
MODULE_DESCRIPTION("Raspberry Pi: start tryboot.txt once");
MODULE_LICENSE("Dual MIT/GPL");
