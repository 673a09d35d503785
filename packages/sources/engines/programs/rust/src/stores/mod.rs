//! One engine in each file.

macro_rules! engine {
    ($feature:literal, $module:ident, $title:literal) => {
        #[cfg(feature = $feature)]
        mod $module;
        #[cfg(feature = $feature)]
        pub const TITLE: &str = $title;
        #[cfg(feature = $feature)]
        pub const OPEN: crate::store::Open = $module::open;
    };
}

/// States that the data end with the process.
pub const VOLATILE: bool = cfg!(any(feature = "skipdb", feature = "surrealmx"));

engine!("surrealkv-0_9", surrealkv_0_9, "surrealkv 0.9.3");
engine!("surrealkv-1", surrealkv_1, "surrealkv 1.2.0");
engine!("fjall-2", fjall_2, "fjall 2.11.2");
engine!("fjall-3", fjall_3, "fjall 3.1.13");
engine!("slatedb", slatedb, "slatedb 0.18.0");
engine!("redb", redb, "redb 4.6.0");
engine!("skipdb", skipdb, "skipdb 0.2.1");
engine!("canopydb", canopydb, "canopydb 0.2.5");
engine!("surrealmx", surrealmx, "surrealmx 1.1.0");
